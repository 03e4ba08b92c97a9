//! What is seen. Components exist where something has a state of its own or is worth skipping when nothing changed; the
//! rest are functions from data to markup, which cost far less Wasm.

pub mod app;
mod capacity_bar;
mod command;
mod copy_button;
mod enforce_panel;
mod evidence;
mod filters;
mod finding_card;
mod full_page;
mod gutter;
mod held_text;
mod here;
mod icon;
mod input_list;
mod lines_read;
mod node_form;
mod panel;
mod place_button;
mod preferences_bar;
mod report_menu;
pub mod report_view;
mod risk_list;
mod share_panel;
mod text_field;
mod tools;
mod verdict_banner;
mod welcome;
