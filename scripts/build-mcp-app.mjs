// The views that hosts show in a chat, each as one file of HTML with its script and its styles in it: a host puts the text into
// a frame of its own, which may load nothing.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const VIEWS = { inbox: "Inbox", mission: "Mission" };

/** @param out the folder that gets `inbox.html` and `mission.html` */
export async function buildMcpApp(out) {
  const { build } = await import("vite");
  mkdirSync(out, { recursive: true });
  for (const [view, title] of Object.entries(VIEWS)) {
    const built = await build({
      configFile: false,
      root: path.join(root, "page"),
      publicDir: false,
      logLevel: "error",
      define: { "process.env.NODE_ENV": '"production"' },
      oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
      build: {
        write: false,
        target: "es2022",
        cssCodeSplit: false,
        assetsInlineLimit: 1_000_000,
        rolldownOptions: {
          input: path.join(root, "page", "src", "mcp-app", `${view}.tsx`),
          output: { format: "iife" },
        },
      },
    });
    const files = [built].flat().flatMap(({ output }) => output);
    writeFileSync(path.join(out, `${view}.html`), documentOf(title, files));
  }
}

function documentOf(title, files) {
  const scripts = files.filter(({ type }) => type === "chunk");
  const styles = files.filter(({ fileName }) => fileName.endsWith(".css"));
  const [script, ...more] = scripts;
  if (script === undefined || more.length > 0 || files.length > scripts.length + styles.length)
    throw new Error(
      `A view must be one script with styles, and is ${files.map(({ fileName }) => fileName).join(", ")}.`,
    );
  // The only texts that would end the elements early.
  const code = script.code.replaceAll(/<(?=\/script|!--)/gi, "\\x3c");
  const css = styles
    .map(({ source }) => String(source))
    .join("\n")
    .replaceAll(/<(?=\/style)/gi, "\\3c ");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8" />',
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    '<meta name="color-scheme" content="light dark" />',
    `<title>${title}</title>`,
    `<style>${css}</style>`,
    "</head>",
    "<body>",
    '<main id="app"><p class="loading">Loading …</p></main>',
    `<script>${code}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildMcpApp(path.resolve(process.argv[2] ?? path.join(root, "dist", "page-app"))).catch((error) => {
    process.stderr.write(`The views are not built: ${error.message}\n`);
    process.exitCode = 1;
  });
