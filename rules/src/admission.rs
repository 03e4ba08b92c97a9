//! Admission: a request in, a decision out. Pure, so that the page can show what the policy would answer.
