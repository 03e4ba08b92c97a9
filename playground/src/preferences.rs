//! Language and theme. `boot.js` puts what was chosen before (or what the system says) on `<html>` before the first
//! paint; from there the page takes it over. Only a choice made by hand is stored, and only where storage is allowed.

use gloo::utils::{document_element, window};
use rules::names::{name_of, named};
use rules::rules::Lang;

/// Light, dark, or as the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// All three with their names on `<html>` and in storage.
    pub const ALL: [(Self, &'static str); 3] = [(Self::System, "system"), (Self::Light, "light"), (Self::Dark, "dark")];
}

/// The language that `<html lang>` names.
#[must_use]
pub fn lang() -> Lang {
    named(&document_element().get_attribute("lang").unwrap_or_default(), &Lang::ALL).unwrap_or_default()
}

/// The theme that `<html data-theme>` names.
#[must_use]
pub fn theme() -> Theme {
    named(&document_element().get_attribute("data-theme").unwrap_or_default(), &Theme::ALL).unwrap_or_default()
}

/// Put a language on `<html>`.
pub fn show_lang(lang: Lang) {
    let _ = document_element().set_attribute("lang", name_of(lang, &Lang::ALL));
}

/// Put a theme on `<html>`.
pub fn show_theme(theme: Theme) {
    let _ = document_element().set_attribute("data-theme", name_of(theme, &Theme::ALL));
}

/// Remember a choice for the next visit, if the browser lets us.
pub fn remember(key: &str, value: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(key, value);
    }
}

#[cfg(test)]
mod tests {
    use rules::names::{name_of, named};
    use rules::rules::Lang;

    use super::Theme;

    #[test]
    fn names_and_values_belong_together() {
        for (theme, name) in Theme::ALL {
            assert_eq!((name_of(theme, &Theme::ALL), named(name, &Theme::ALL)), (name, Some(theme)));
        }
        assert_eq!(named("zh", &Lang::ALL), Some(Lang::Zh));
        assert_eq!(named("tlh", &Lang::ALL), None);
    }
}
