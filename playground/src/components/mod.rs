//! What is seen: each component shows a part of the state and calls back, nothing more.

pub mod app;
pub mod command;
pub mod copy_button;
pub mod evidence;
pub mod finding_card;
pub mod findings;
pub mod icon;
pub mod lines_read;
pub mod place_button;
pub mod preferences_bar;
pub mod report_view;
pub mod risk_list;
pub mod tools;
pub mod verdict_banner;
pub mod welcome;
