//! Products of vectors. The loops are written so that the compiler makes wide instructions of them.

/// Components that are summed apart, since the order of sums of floats is kept.
const LANES: usize = 16;

/// The sum of the products of components.
#[inline(always)]
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (chunks_a, rest_a) = a.as_chunks::<LANES>();
    let (chunks_b, rest_b) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (chunk_a, chunk_b) in chunks_a.iter().zip(chunks_b) {
        for lane in 0..LANES {
            sums[lane] += chunk_a[lane] * chunk_b[lane];
        }
    }
    let rest: f32 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}

/// The same for codes of one byte against codes of a query.
#[inline(always)]
pub(super) fn dot_codes(query: &[i16], row: &[i8]) -> i32 {
    let products = query.iter().zip(row);
    products.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// A vector in one byte a component, and what a unit of the code is worth.
pub(super) fn encode(vector: &[f32], codes: &mut Vec<i8>) -> f32 {
    let greatest = vector
        .iter()
        .fold(0.0f32, |greatest, x| greatest.max(x.abs()));
    let scale = greatest / 127.0;
    let per_unit = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    codes.extend(vector.iter().map(|x| (x * per_unit).round() as i8));
    scale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(seed: u32, dimension: usize) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        (0..dimension).map(|_| next()).collect()
    }

    #[test]
    fn a_product_of_any_dimension() {
        for dimension in [0, 1, 15, 16, 17, 256] {
            let (a, b) = (vector(1, dimension), vector(2, dimension));
            let plain: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert!((dot(&a, &b) - plain).abs() < 1e-4);
        }
    }

    #[test]
    fn codes_are_near() {
        let (a, b) = (vector(3, 256), vector(4, 256));
        let (mut codes_a, mut codes_b) = (Vec::new(), Vec::new());
        let (scale_a, scale_b) = (encode(&a, &mut codes_a), encode(&b, &mut codes_b));
        let query: Vec<i16> = codes_a.into_iter().map(i16::from).collect();
        let near = dot_codes(&query, &codes_b) as f32 * scale_a * scale_b;
        assert!((near - dot(&a, &b)).abs() < 0.05, "{near} {}", dot(&a, &b));
        assert_eq!(encode(&[0.0; 4], &mut Vec::new()), 0.0);
    }
}
