//! Numbers as people and programs write them.

/// The count that `text` starts with, and its length in bytes: `128`, `16,384`, `1.048576e+06`. `None` when there is no
/// digit, or the number does not fit.
pub(crate) fn count(text: &str) -> Option<(u64, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return None;
    }
    if let Some(found) = scientific(text, digits) {
        return Some(found);
    }
    let mut value: u64 = text.get(..digits)?.parse().ok()?;
    let mut length = digits;
    while let Some(group) = text.get(length..).filter(|_| digits <= 3).and_then(thousands) {
        value = value.checked_mul(1000)?.checked_add(group)?;
        length += ",000".len();
    }
    Some((value, length))
}

/// The three digits behind a comma; anything else behind one is the next item of a list.
fn thousands(text: &str) -> Option<u64> {
    let group = text.strip_prefix(',')?;
    let digits = group.bytes().take_while(u8::is_ascii_digit).count();
    group.get(..3).filter(|_| digits == 3)?.parse().ok()
}

/// `1.048576e+06`, as some YAML writers print big integers.
fn scientific(text: &str, digits: usize) -> Option<(u64, usize)> {
    let fraction = text.get(digits..)?.strip_prefix('.')?;
    let places = fraction.bytes().take_while(u8::is_ascii_digit).count();
    let exponent = fraction.get(places..)?.strip_prefix(['e', 'E'])?;
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    let exponent_digits = exponent.bytes().take_while(u8::is_ascii_digit).count();
    let power: usize = exponent.get(..exponent_digits)?.parse().ok()?;
    let zeros = u32::try_from(power.checked_sub(places)?).ok()?;
    let written: u64 = format!("{}{}", text.get(..digits)?, fraction.get(..places)?).parse().ok()?;
    let value = written.checked_mul(10_u64.checked_pow(zeros)?)?;
    Some((value, text.len() - exponent.get(exponent_digits..)?.len()))
}

/// The count of a text that holds nothing else but blanks.
pub(crate) fn bare(text: &str) -> Option<u64> {
    let text = text.trim();
    count(text).filter(|&(_, length)| length == text.len()).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::{bare, count};

    #[test]
    fn forms() {
        assert_eq!(count("128 x"), Some((128, 3)));
        assert_eq!(count("16,384"), Some((16_384, 6)));
        assert_eq!(count("65,429 leaked"), Some((65_429, 6)));
        assert_eq!(count("1,2"), Some((1, 1)));
        assert_eq!(count("1.048576e+06"), Some((1_048_576, 12)));
        assert_eq!(count("1.5"), Some((1, 1)));
        assert_eq!(count("x"), None);
        assert_eq!(count("99999999999999999999"), None);
        assert_eq!(bare(" 64734 "), Some(64_734));
        assert_eq!(bare("64734 x"), None);
    }
}
