//! What is known of the node beside the paste, as typed into a form.

use rules::kubernetes::quantity;

/// kubelet's `maxPods` as typed; nothing typed is nothing known.
///
/// # Errors
/// It is not a whole number above zero.
pub fn max_pods(typed: &str) -> Result<Option<u64>, NotANumber> {
    match typed.trim() {
        "" => Ok(None),
        typed => typed.parse().ok().filter(|pods| *pods > 0).map(Some).ok_or(NotANumber),
    }
}

/// No node has less memory: what says less was typed without its unit. In bytes.
const LEAST: u128 = 1 << 20;

/// Allocatable memory as typed, a Kubernetes quantity such as `16Gi`; in bytes.
///
/// # Errors
/// It is not a quantity, or one that no node can have.
pub fn memory(typed: &str) -> Result<Option<u128>, NotANumber> {
    let bytes = |typed| u128::try_from(quantity::parse(typed).ok()?).ok();
    match typed.trim() {
        "" => Ok(None),
        typed => bytes(typed).filter(|bytes| *bytes >= LEAST).map(Some).ok_or(NotANumber),
    }
}

/// What was typed does not say how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotANumber;

#[cfg(test)]
mod tests {
    use super::{NotANumber, max_pods, memory};

    #[test]
    fn nothing_typed_is_nothing_known() {
        assert_eq!((max_pods(" "), memory("")), (Ok(None), Ok(None)));
    }

    #[test]
    fn numbers_and_quantities_are_read() {
        assert_eq!(max_pods(" 250 "), Ok(Some(250)));
        assert_eq!(memory("16Gi"), Ok(Some(16 << 30)));
        assert_eq!(memory("1500M"), Ok(Some(1_500_000_000)));
    }

    #[test]
    fn anything_else_is_refused() {
        for typed in ["0", "-1", "many", "1.5", "18446744073709551616"] {
            assert_eq!(max_pods(typed), Err(NotANumber), "{typed}");
        }
        for typed in ["0", "-1Gi", "16 GB", "Gi", "64"] {
            assert_eq!(memory(typed), Err(NotANumber), "{typed}");
        }
    }
}
