// @ts-check

/** @type {import('@docusaurus/types').Config} */
export default {
  title: "Runbook",
  url: "https://docs.example",
  baseUrl: "/",
  scripts: [{ src: "https://tools.example/noderisk/noderisk-embed.js", defer: true }],
  presets: [["classic", { docs: { routeBasePath: "/" }, blog: false }]],
};
