//! Lists of values with the names that users give them by, such as [`crate::facts::CgroupMode::ALL`].

/// The name of `value` in such a list; empty when it is not there.
#[must_use]
pub fn name_of<T: Copy + PartialEq>(value: T, all: &[(T, &'static str)]) -> &'static str {
    all.iter().find(|(known, _)| *known == value).map_or("", |(_, name)| name)
}

/// The value with that name.
#[must_use]
pub fn named<T: Copy>(name: &str, all: &[(T, &'static str)]) -> Option<T> {
    all.iter().find(|(_, known)| *known == name).map(|(value, _)| *value)
}
