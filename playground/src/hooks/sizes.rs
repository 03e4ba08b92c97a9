//! Tells of the size of an element.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};

/// Tells whenever the size changes, and once at the start, as long as it lives.
pub(super) struct Sizes {
    observer: ResizeObserver,
    _changed: Closure<dyn FnMut()>,
}

impl Sizes {
    /// Watch `element`; `None` where the browser cannot.
    pub(super) fn watch(element: &Element, changed: impl FnMut() + 'static) -> Option<Self> {
        let changed = Closure::<dyn FnMut()>::new(changed);
        let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok()?;
        observer.observe(element);
        Some(Self { observer, _changed: changed })
    }
}

impl Drop for Sizes {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
