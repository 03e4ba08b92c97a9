//! Raw paste to clean lines.
