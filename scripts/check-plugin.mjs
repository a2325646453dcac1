// What Claude Code itself says of the plugin and the marketplace: `npm run check:plugin`. It fetches Claude Code, which is about 400 MB,
// so no test does it: test/plugins has the checks of every day. The settings of whoever runs it are left alone.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const CLAUDE_CODE = "@anthropic-ai/claude-code@2.1.332";
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const settings = mkdtempSync(path.join(tmpdir(), "navigator-claude-"));

/** Runs Claude Code with settings of its own, in a folder of its own. */
function claude(...args) {
  const env = { ...process.env, CLAUDE_CONFIG_DIR: settings, DISABLE_AUTOUPDATER: "1" };
  const { status } = spawnSync("npm", ["exec", "--yes", `--package=${CLAUDE_CODE}`, "--", "claude", ...args], {
    cwd: settings,
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) throw new Error(`claude ${args.join(" ")} ended with ${status}.`);
}

try {
  claude("plugin", "validate", "--strict", path.join(root, ".claude-plugin", "marketplace.json"));
  claude("plugin", "validate", "--strict", path.join(root, "plugins", "claude-code"));
  claude("plugin", "marketplace", "add", root);
  claude("plugin", "install", "navigator@navigator-agents");
  claude("plugin", "details", "navigator@navigator-agents");
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(settings, { recursive: true, force: true });
}
