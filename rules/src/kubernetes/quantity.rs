//! Kubernetes quantities (`apimachinery/pkg/api/resource`), as far as memory needs them.
//!
//! The whole grammar, with the spellings that only leniency accepts, computed on integers: a limit that is off by one
//! byte would make two hosts disagree.

/// What the API server makes of a binary-suffix quantity that does not fit 63 bits (`Quantity` caps those alone).
const BINARY_CAP: i128 = i64::MAX as i128;

/// Suffixes with the power of ten, or of two, that they stand for.
const SUFFIXES: [(&str, Scale); 16] = [
    ("", Scale::Ten(0)),
    ("n", Scale::Ten(-9)),
    ("u", Scale::Ten(-6)),
    ("m", Scale::Ten(-3)),
    ("k", Scale::Ten(3)),
    ("M", Scale::Ten(6)),
    ("G", Scale::Ten(9)),
    ("T", Scale::Ten(12)),
    ("P", Scale::Ten(15)),
    ("E", Scale::Ten(18)),
    ("Ki", Scale::Two(10)),
    ("Mi", Scale::Two(20)),
    ("Gi", Scale::Two(30)),
    ("Ti", Scale::Two(40)),
    ("Pi", Scale::Two(50)),
    ("Ei", Scale::Two(60)),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Ten(i64),
    Two(u32),
}

/// The value of a quantity in whole units, rounded away from zero as `Quantity.Value()` does.
///
/// Decimal quantities beyond 63 bits, which overflow in the API server, keep their true value (at most `i128::MAX`).
///
/// # Errors
/// A message that names the fault when `text` is not a quantity.
pub fn parse(text: &str) -> Result<i128, String> {
    if text.is_empty() {
        return Err("an empty text is not a quantity".to_owned());
    }
    let (negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, rest) = split_digits(unsigned);
    let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    let scale = scale(suffix).ok_or_else(|| fault(text, suffix))?;
    let magnitude = match scale {
        Scale::Ten(exponent) => decimal(whole, fraction, exponent),
        Scale::Two(shift) => binary(whole, fraction, shift).min(BINARY_CAP),
    };
    Ok(if negative { -magnitude } else { magnitude })
}

/// The shortest exact way to write a number of bytes, as a valid quantity: `256Mi`, `1.5Gi`, `8G`, `1000`.
#[must_use]
pub fn format(bytes: u128) -> String {
    let shortest = SUFFIXES.iter().rev().filter_map(|(suffix, scale)| {
        let unit = match scale {
            Scale::Two(shift) => 1_u128 << shift,
            Scale::Ten(exponent) => 10_u128.checked_pow(u32::try_from(*exponent).ok()?)?,
        };
        let (whole, rest) = (bytes.checked_div(unit)?, bytes.checked_rem(unit)?);
        let hundredths = rest.checked_mul(100)?;
        let exact = hundredths.checked_rem(unit)? == 0 && (whole > 0 || unit == 1);
        exact.then(|| with_hundredths(whole, hundredths / unit) + suffix)
    });
    shortest.min_by_key(String::len).unwrap_or_else(|| bytes.to_string())
}

fn with_hundredths(whole: u128, hundredths: u128) -> String {
    match hundredths {
        0 => whole.to_string(),
        tenths if tenths % 10 == 0 => format!("{whole}.{}", tenths / 10),
        _ => format!("{whole}.{hundredths:02}"),
    }
}

fn split_digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// What a suffix stands for. `E` alone is 10^18; followed by an integer it is an exponent.
fn scale(suffix: &str) -> Option<Scale> {
    if let Some((_, scale)) = SUFFIXES.iter().find(|(known, _)| *known == suffix) {
        return Some(*scale);
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let is_integer = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_integer.then(|| exponent.parse().ok()).flatten().map(Scale::Ten)
}

fn fault(text: &str, suffix: &str) -> String {
    if text == suffix || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return format!("`{text}` is not a number");
    }
    format!("`{text}` has the unknown suffix `{suffix}`; write Ki, Mi, Gi, Ti, Pi, Ei, or k, M, G, T, P, E")
}

/// `whole.fraction` times ten to the `exponent`, rounded up.
fn decimal(whole: &str, fraction: &str, exponent: i64) -> i128 {
    // Digits to the left of the decimal point once the exponent has moved it.
    let point = i128::try_from(whole.len()).unwrap_or(i128::MAX).saturating_add(i128::from(exponent));
    let digits = || whole.bytes().chain(fraction.bytes()).map(|digit| i128::from(digit.saturating_sub(b'0')));
    if digits().all(|digit| digit == 0) {
        return 0;
    }
    let kept = usize::try_from(point).unwrap_or(0);
    let mut value = digits().take(kept).fold(0_i128, |value, digit| value.saturating_mul(10).saturating_add(digit));
    let zeros = kept.saturating_sub(whole.len().saturating_add(fraction.len()));
    for _ in 0..zeros.min(40) {
        value = value.saturating_mul(10);
    }
    value.saturating_add(i128::from(digits().skip(kept).any(|digit| digit != 0)))
}

/// `whole.fraction` times two to the `shift`, rounded up.
fn binary(whole: &str, fraction: &str, shift: u32) -> i128 {
    let unit = 1_i128 << shift;
    let whole = decimal(whole, "", 0).saturating_mul(unit);
    // Schoolbook multiplication of the fraction by the unit: the carry out of the first digit is the whole part of
    // the product, and any digit left behind makes it round up.
    let (carry, exact) = fraction.bytes().rev().fold((0_i128, true), |(carry, exact), digit| {
        let product = i128::from(digit.saturating_sub(b'0')) * unit + carry;
        (product / 10, exact && product % 10 == 0)
    });
    whole.saturating_add(carry).saturating_add(i128::from(!exact))
}

#[cfg(test)]
mod tests {
    use super::{format, parse};

    /// Values printed by apimachinery v0.27.0 (`resource.MustParse(text).Value()`), unchanged in its later versions.
    #[test]
    fn values_are_those_of_apimachinery() {
        for (text, value) in [
            ("1k", 1000),
            ("1Ki", 1024),
            ("129M", 129_000_000),
            ("123Mi", 128_974_848),
            ("129e6", 129_000_000),
            ("129E6", 129_000_000),
            ("128974848", 128_974_848),
            ("128974848000m", 128_974_848),
            ("1Ti", 1_099_511_627_776),
            ("3Ti", 3_298_534_883_328),
            ("1Pi", 1_125_899_906_842_624),
            ("1Ei", 1_152_921_504_606_846_976),
            ("1P", 1_000_000_000_000_000),
            ("1E", 1_000_000_000_000_000_000),
            ("1E3", 1000),
            ("1e-3", 1),
            ("1e+3", 1000),
            ("1.5e3", 1500),
            ("1.5Gi", 1_610_612_736),
            ("00512Mi", 536_870_912),
            ("0", 0),
            ("-1Gi", -1_073_741_824),
            ("+1", 1),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    /// `Quantity.Value()` of apimachinery v0.27.0 rounds up.
    #[test]
    fn fractions_round_up() {
        for (text, value) in [
            ("0.5", 1),
            ("1m", 1),
            ("2m", 1),
            ("400m", 1),
            ("1001m", 2),
            ("1n", 1),
            ("0.1Ki", 103),
            ("0.001Ki", 2),
            ("1.5", 2),
            ("1e-99", 1),
            ("1.0000000000000000000000000000000001Ki", 1025),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    /// Spellings that `resource.ParseQuantity` of apimachinery v0.27.0 accepts.
    #[test]
    fn lenient_spellings_are_accepted() {
        for (text, value) in [
            (".", 0),
            ("+", 0),
            ("-", 0),
            ("m", 0),
            ("Ki", 0),
            ("1.", 1),
            ("1.G", 1_000_000_000),
            (".5Ki", 512),
            ("007", 7),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    /// Texts that `resource.ParseQuantity` of apimachinery v0.27.0 refuses.
    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in [
            "", " 1", "1 ", "1 Gi", "1K", "1ki", "1mi", "1g", "1GB", "1GiB", "1Zi", "1e", "1e1.5", "1e3Mi", "1_000",
            "1,000", "0x10", "--1", "+-1", "inf", "NaN", "1.2.3", "１",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    /// apimachinery v0.27.0 caps binary suffixes at 2^63-1; decimal ones overflow there, so the true value is kept here.
    #[test]
    fn huge_values_are_capped_or_kept_but_never_wrap() {
        for (text, value) in [
            ("8Ei", 9_223_372_036_854_775_807),
            ("16Ei", 9_223_372_036_854_775_807),
            ("10E", 10_000_000_000_000_000_000),
            ("1e20", 100_000_000_000_000_000_000),
            ("9223372036854775808", 9_223_372_036_854_775_808),
            ("1e999999999", i128::MAX),
            ("-1e999999999", -i128::MAX),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
        assert_eq!(parse(&"9".repeat(10_000)), Ok(i128::MAX));
        assert_eq!(parse(&format!("{}Ei", "9".repeat(10_000))), Ok(9_223_372_036_854_775_807));
    }

    #[test]
    fn messages_name_the_fault() {
        assert_eq!(
            parse("10GB"),
            Err("`10GB` has the unknown suffix `GB`; write Ki, Mi, Gi, Ti, Pi, Ei, or k, M, G, T, P, E".to_owned())
        );
        assert_eq!(parse("lots"), Err("`lots` is not a number".to_owned()));
    }

    #[test]
    fn bytes_are_written_short_and_exact() {
        for (bytes, text) in [
            (0, "0"),
            (1, "1"),
            (512, "512"),
            (1024, "1Ki"),
            (268_435_456, "256Mi"),
            (1_610_612_736, "1.5Gi"),
            (1_342_177_280, "1.25Gi"),
            (8_000_000_000, "8G"),
            (1_048_576_000, "1000Mi"),
            (128_974_848, "123Mi"),
            (128_974_849, "128974849"),
            (9_223_372_036_854_775_807, "9223372036854775807"),
        ] {
            assert_eq!(format(bytes), text);
            assert_eq!(parse(text), Ok(i128::try_from(bytes).unwrap()), "{text} is itself a quantity");
        }
    }
}
