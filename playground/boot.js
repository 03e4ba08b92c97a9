// Starts the app, and says so when that fails. Trunk knows the hashed file names and puts them on this script's tag, so
// that the page needs no inline script. Language and theme are settled here, before the first paint.

const WORDS = {
  en: {
    loading: "Loading the checker…",
    failed: "The checker could not be loaded. Does this browser allow WebAssembly for this page?",
    stopped: "The checker stopped because of an internal error. Your text is still here; reload the page to go on.",
  },
  ja: {
    loading: "チェッカーを読み込んでいます…",
    failed: "チェッカーを読み込めませんでした。このページで WebAssembly が許可されているか確認してください。",
    stopped: "内部エラーのためチェッカーが停止しました。テキストは残っています。続けるにはページを再読み込みしてください。",
  },
  zh: {
    loading: "正在加载检查器…",
    failed: "检查器加载失败，请确认浏览器允许本页面使用 WebAssembly。",
    stopped: "检查器因内部错误停止。文本仍在，请重新加载页面后继续。",
  },
};

const THEMES = ["system", "light", "dark"];

/** What was chosen on an earlier visit; null where storage is refused. */
function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

const html = document.documentElement;
// How the page is to look may be asked for in its address, mostly by a page that embeds it; see `src/embed.rs`.
const query = new URLSearchParams(location.search);
const embedded = query.get("embed") === "1";
html.toggleAttribute("data-embed", embedded);
const wanted = [query.get("lang"), remembered("noderisk.lang"), ...navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())];
html.lang = wanted.find((lang) => lang in WORDS) ?? "en";
const themes = [query.get("theme"), remembered("noderisk.theme")];
html.dataset.theme = themes.find((theme) => THEMES.includes(theme)) ?? "system";

const words = WORDS[html.lang];
const status = document.getElementById("status");
status.textContent = words.loading;

const { base, js, wasm } = document.querySelector("script[data-wasm]").dataset;
try {
  const app = await import(new URL(base + js, document.baseURI));
  await app.default({ module_or_path: new URL(base + wasm, document.baseURI) });
  addEventListener("error", ({ error }) => {
    if (error instanceof WebAssembly.RuntimeError) {
      status.textContent = words.stopped;
    }
  });
  // Another page may frame this one without asking for the embedded form.
  if (!embedded && parent === window) import("./offline.js");
} catch (error) {
  status.textContent = words.failed;
  console.error(error);
}
