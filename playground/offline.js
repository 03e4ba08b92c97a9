// Keeps the page for use without a network, and offers a new version of it when there is one. Where the browser refuses
// service workers or storage, the page works without.

const WORDS = {
  en: {
    ready: "A new version is ready.",
    reload: "Reload",
    lost: "Texts this long cannot be taken along: they will have to be opened again.",
    anyway: "Reload anyway",
  },
  ja: {
    ready: "新しいバージョンがあります。",
    reload: "再読み込み",
    lost: "長いテキストは引き継げません。再読み込み後にもう一度開いてください。",
    anyway: "それでも再読み込み",
  },
  zh: {
    ready: "新版本已就绪。",
    reload: "重新加载",
    lost: "文本过长，无法保留，重新加载后需要再次打开。",
    anyway: "仍然重新加载",
  },
};

/** Say that `worker` waits to take over, and let it when the user agrees. */
function offer(worker) {
  const words = WORDS[document.documentElement.lang] ?? WORDS.en;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words.reload;
  let warned = false;
  button.addEventListener("click", () => {
    // The app puts the text into the address, from where the new version takes it; it objects when that is too long.
    if (!dispatchEvent(new Event("noderisk:reload", { cancelable: true })) && !warned) {
      warned = true;
      button.textContent = words.anyway;
      button.before(words.lost, " ");
      return;
    }
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    worker.postMessage("activate");
  });
  document.getElementById("update").replaceChildren(words.ready, " ", button);
}

try {
  const registration = await navigator.serviceWorker.register(new URL("service-worker.js", import.meta.url));
  const look = () => {
    // Without a controller it is the first one, and there is nothing old to replace.
    if (registration.waiting && navigator.serviceWorker.controller) offer(registration.waiting);
  };
  look();
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", look));
  // A page that stays open for days asks again when it is looked at.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") registration.update().catch(() => {});
  });
} catch {
  // Insecure origin, private window, blocked storage: nothing to keep.
}
