import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = path.dirname(fileURLToPath(import.meta.url));

/** The page as static files in dist/page: no inline scripts or styles, and nothing from elsewhere (web reference, section 2). */
export default defineConfig({
  root: here,
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: path.join(here, "..", "dist", "page"),
    emptyOutDir: true,
    target: "es2022",
    // An inline polyfill would break the policy of the page.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
  },
});
