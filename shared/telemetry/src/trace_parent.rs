//! Where a piece of work belongs: the `traceparent` of W3C Trace Context (level 1, section 3.2). One
//! that breaks the format counts as none, as the standard asks.

use std::fmt;

/// The trace, the span in it, and whether it is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceParent {
    trace_id: u128,
    span_id: u64,
    flags: u8,
}

impl TraceParent {
    /// The name of the header, in HTTP and in records.
    pub const HEADER: &str = "traceparent";

    /// One of these ids; none of them may be zero.
    pub fn new(trace_id: u128, span_id: u64, flags: u8) -> Option<Self> {
        (trace_id != 0 && span_id != 0).then_some(Self {
            trace_id,
            span_id,
            flags,
        })
    }

    /// Reads the text of a header. A later version of the format may have more at its end.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let version = hex(parts.next()?, 2)?;
        let trace_id = hex(parts.next()?, 32)?;
        let span_id = hex(parts.next()?, 16)?;
        let flags = hex(parts.next()?, 2)?;
        let is_known = version == 0 && parts.next().is_none();
        if !is_known && !(1..0xff).contains(&version) {
            return None;
        }
        Self::new(
            trace_id,
            u64::try_from(span_id).ok()?,
            u8::try_from(flags).ok()?,
        )
    }

    /// The id of the trace.
    pub fn trace_id(self) -> u128 {
        self.trace_id
    }

    /// The id of the span.
    pub fn span_id(self) -> u64 {
        self.span_id
    }

    /// The flags; the lowest bit says that it is sampled.
    pub fn flags(self) -> u8 {
        self.flags
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            trace_id,
            span_id,
            flags,
        } = self;
        write!(f, "00-{trace_id:032x}-{span_id:016x}-{flags:02x}")
    }
}

/// A number of exactly so many lower-case digits.
fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() != digits || !text.bytes().all(is_digit) {
        return None;
    }
    u128::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn what_is_written_is_read() {
        let parsed = TraceParent::parse(GOOD).unwrap();
        assert_eq!(parsed.to_string(), GOOD);
        assert_eq!(parsed.flags(), 1);
        let later = format!("01{}-more", &GOOD[2..]);
        assert_eq!(TraceParent::parse(&later), Some(parsed));
    }

    #[test]
    fn what_breaks_the_format_is_none() {
        for bad in [
            "",
            "00",
            &GOOD[..54],
            &GOOD.to_uppercase(),
            &format!("{GOOD}-more"),
            &format!("ff{}", &GOOD[2..]),
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c-+7ad6b7169203331-01",
        ] {
            assert_eq!(TraceParent::parse(bad), None, "{bad}");
        }
    }
}
