// <noderisk-check>: the page inside another page. Needs nothing but this script:
//
//   <script src="https://tools.example/noderisk/noderisk-embed.js" defer></script>
//   <noderisk-check kind="manifest"><pre>apiVersion: v1 …</pre></noderisk-check>
//
// Attributes: kind, lang, theme, readonly, hide, src, title, sandbox. examples/embedding/README.md describes them, the
// messages between element and page, and the event "noderisk-report". The text is read as `kind` alone, until the reader
// chooses another.
(() => {
  "use strict";

  const VERSION = 1;

  /** The folder of this script is the page, unless `src` names another. */
  const HERE = document.currentScript?.src ?? document.baseURI;

  /** Height until the page has told its own, in CSS pixels. */
  const START = 330;

  /** How long the page may take before readers get the text itself, in milliseconds. */
  const PATIENCE = 10_000;

  /** How long a page may take to change its colours, in milliseconds. */
  const FADED = 500;

  /** What the frame may do: no navigation of the page around, no forms, no dialogs. */
  const SANDBOX = "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-downloads";

  const TITLES = {
    en: "noderisk: will this take a node down?",
    ja: "noderisk: そのままで、ノードは落ちませんか？",
    zh: "noderisk：这样下去，节点会不会挂？",
  };

  /** The text of an element; some generators end lines of code with <br>. */
  function textOf(element) {
    const copy = element.cloneNode(true);
    copy.querySelectorAll("br").forEach((end) => end.replaceWith("\n"));
    return copy.textContent;
  }

  /** A text without the indentation that all its lines share. */
  function dedented(text) {
    const lines = text.replace(/^[ \t]*\n/, "").trimEnd().split("\n");
    const indents = lines.filter((line) => line.trim() !== "").map((line) => line.match(/^[ \t]*/)[0].length);
    const shared = Math.min(...indents);
    return lines.map((line) => line.slice(shared)).join("\n");
  }

  /** Light or dark, as the page around looks here: its own switch counts for more than the system's. */
  function themeAround(element) {
    for (let around = element; around; around = around.parentElement ?? around.getRootNode().host) {
      const ground = getComputedStyle(around).backgroundColor;
      const [red, green, blue, alpha = 1] = ground.startsWith("rgb") ? ground.match(/[\d.]+/g).map(Number) : [0, 0, 0, 0];
      // The weights tell how bright each colour looks (ITU-R BT.601).
      if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
    }
    // What the browser paints itself. A page may say which themes it has by its style or, unseen there, by a tag.
    const { colorScheme } = getComputedStyle(document.documentElement);
    const tag = document.querySelector('meta[name="color-scheme"]');
    const schemes = (colorScheme === "normal" && tag ? tag.content : colorScheme).split(" ");
    if (!schemes.includes("dark")) return "light";
    return schemes.includes("light") ? "system" : "dark";
  }

  class NoderiskCheck extends HTMLElement {
    static observedAttributes = ["theme"];

    #frame;
    #channel;
    #origin;
    #text;
    #listens = false;
    #receive = (event) => this.#received(event);
    #switches = new MutationObserver(() => {
      this.#sendTheme();
      // Colours may fade over.
      setTimeout(() => this.#sendTheme(), FADED);
    });

    connectedCallback() {
      if (this.#frame === undefined) {
        this.attachShadow({ mode: "open" });
      }
      // A frame that is moved in the document loads anew.
      this.#listens = false;
      this.#channel = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join("");
      this.#frame = this.#makeFrame();
      addEventListener("message", this.#receive);
      for (const part of [document.documentElement, document.body]) this.#switches.observe(part, { attributes: true });
      this.shadowRoot.replaceChildren(this.#frame);
      // A frame tells when it has loaded, be it an error; a page that does not answer then is not there.
      const slot = (this.#text = document.createElement("slot"));
      this.#frame.addEventListener("load", () => setTimeout(() => this.#listens || this.shadowRoot.append(slot), PATIENCE), { once: true });
    }

    disconnectedCallback() {
      removeEventListener("message", this.#receive);
      this.#switches.disconnect();
    }

    attributeChangedCallback() {
      this.#sendTheme();
    }

    get #theme() {
      return this.getAttribute("theme") ?? themeAround(this);
    }

    get #lang() {
      const tag = this.closest("[lang]")?.lang ?? "";
      const lang = tag.slice(0, 2).toLowerCase();
      return lang in TITLES ? lang : "en";
    }

    #makeFrame() {
      const src = this.getAttribute("src");
      const named = src !== null && URL.canParse(src, document.baseURI);
      const page = named ? new URL(src, document.baseURI) : new URL("./", HERE);
      this.#origin = page.origin;
      const query = { embed: "1", lang: this.#lang, theme: this.#theme, channel: this.#channel };
      for (const name of ["kind", "hide"]) {
        if (this.hasAttribute(name)) query[name] = this.getAttribute(name);
      }
      if (this.hasAttribute("readonly")) query.readonly = "1";
      page.search = new URLSearchParams(query);

      const frame = document.createElement("iframe");
      frame.title = this.getAttribute("title") ?? TITLES[this.#lang];
      frame.loading = "lazy";
      frame.setAttribute("sandbox", this.getAttribute("sandbox") ?? SANDBOX);
      frame.allow = "clipboard-write";
      frame.part = "frame";
      Object.assign(frame.style, { display: "block", width: "100%", height: `${START}px`, border: "0", borderRadius: "6px" });
      this.style.display ||= "block";
      frame.src = page;
      return frame;
    }

    /** Messages count only from this frame, from the page that was loaded into it. */
    #received({ source, origin, data }) {
      const own = source === this.#frame.contentWindow && data?.v === VERSION && data.channel === this.#channel;
      // A frame in a sandbox without allow-same-origin has the origin "null".
      if (!own || (origin !== this.#origin && origin !== "null")) return;
      switch (data.type) {
        case "noderisk:ready":
          this.#ready();
          break;
        case "noderisk:height":
          if (data.height > 0) this.#frame.style.height = `${data.height}px`;
          break;
        case "noderisk:report": {
          const { verdict, counts, rules } = data;
          this.dispatchEvent(new CustomEvent("noderisk-report", { bubbles: true, detail: { verdict, counts, rules } }));
        }
      }
    }

    #ready() {
      this.#listens = true;
      this.#text.remove();
      const text = dedented(textOf(this.querySelector('script[type="text/plain"], code') ?? this));
      if (text !== "") this.#send({ type: "noderisk:input", text });
      // The theme may have changed while the page was loading.
      this.#sendTheme();
    }

    #sendTheme() {
      this.#send({ type: "noderisk:theme", theme: this.#theme });
    }

    #send(message) {
      if (!this.#listens) return;
      const opaque = !this.#frame.getAttribute("sandbox").includes("allow-same-origin");
      this.#frame.contentWindow?.postMessage({ v: VERSION, ...message }, opaque ? "*" : this.#origin);
    }
  }

  customElements.define("noderisk-check", NoderiskCheck);
})();
