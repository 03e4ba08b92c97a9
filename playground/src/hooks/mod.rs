//! Where the page meets the browser: each hook ties one of its events or attributes to the state.

mod sizes;
mod use_apply;
mod use_arrivals;
mod use_checker;
mod use_copy;
mod use_cursor;
mod use_embed;
mod use_file_drop;
mod use_finding_keys;
mod use_fragment;
mod use_gutter_wheel;
mod use_inputs;
mod use_long_paste;
mod use_reload;
mod use_shell_words;
mod use_view;

pub use use_apply::{Fix, use_apply};
pub use use_arrivals::use_arrivals;
pub use use_checker::use_checker;
pub use use_copy::{Copied, use_copy};
pub use use_cursor::use_cursor;
pub use use_embed::use_embed;
pub use use_file_drop::use_file_drop;
pub use use_finding_keys::use_finding_keys;
pub use use_fragment::use_fragment;
pub use use_gutter_wheel::use_gutter_wheel;
pub use use_inputs::{Go, use_inputs};
pub use use_long_paste::{Pasted, use_long_paste};
pub use use_reload::use_reload;
pub use use_shell_words::use_shell_words;
pub use use_view::use_view;
