// What is in the packages that npm publishes: these files and no others, and nothing that looks like a secret.
import { readFileSync } from "node:fs";
import path from "node:path";

/** Each file matches a line, and each line has a file. */
const CONTENTS = {
  "navigator-agents": [
    /^package\.json$/,
    /^(README|CHANGELOG|CONTRIBUTING)\.md$/,
    /^LICENSE$/,
    /^\.claude-plugin\/marketplace\.json$/,
    /^catalog\/[a-z0-9-]+\.(json|yaml)$/,
    /^catalog\/[a-z0-9-]+\/.+\.(json|yaml|md)$/,
    /^dist\/\.build-stamp$/,
    /^dist\/(index|client|worker)\.(js|d\.ts|mjs|d\.mts)$/,
    /^dist\/entries\/[a-z-]+\.(js|d\.ts|mjs|d\.mts)$/,
    /^dist\/testing\/.+\.(js|d\.ts|mjs|d\.mts)$/,
    /^dist\/cli\/main\.js$/,
    /^dist\/examples\/order\/demo\/[a-z-]+\.(js|d\.ts)$/,
    /^dist\/workflow-bundle\.js$/,
    /^dist\/page\/.+\.(html|js|css|svg)$/,
    /^dist\/page-app\/[a-z-]+\.html$/,
    /^dist\/models\/.+\.json$/,
    /^dist\/[a-z0-9-]+\/.+\.(js|d\.ts)$/,
    /^docs\/[a-z0-9-]+\.md$/,
    /^docs\/(decisions|reference)\/.+\.md$/,
    /^docs\/api\/openapi\.json$/,
    /^docs\/images\/[a-z-]+\.png$/,
    /^examples\/.+\.(ts|cjs|js|json|yaml|md|txt)$/,
    /^plugins\/agents-md\/AGENTS\.md$/,
    /^plugins\/claude-code\/(README\.md|\.mcp\.json|\.claude-plugin\/plugin\.json)$/,
    /^plugins\/claude-code\/(commands|skills|hooks)\/.+\.(md|json|mjs)$/,
    /^plugins\/cursor\/rules\/navigator\.mdc$/,
    /^templates\/project\/(_gitignore|\.env\.example|package\.json|navigator\.config\.ts)$/,
    /^templates\/project\/.+\.(ts|json|md)$/,
  ],
  "navigator-agents-prove": [
    /^package\.json$/,
    /^README\.md$/,
    /^LICENSE$/,
    /^dist\/(command|proofs)\.js$/,
    /^dist\/([a-z-]+\/)*[a-z-]+\.js$/,
  ],
  "create-navigator-agents": [
    /^package\.json$/,
    /^README\.md$/,
    /^LICENSE$/,
    /^dist\/main\.js$/,
    /^templates\/project\/(_gitignore|\.env\.example|package\.json|navigator\.config\.ts)$/,
    /^templates\/project\/.+\.(ts|json|md)$/,
  ],
};

/** No package has these, whatever a line above says. */
const NEVER = [
  /(^|\/)(node_modules|\.navigator|\.git|coverage|histories)\//,
  /(^|\/)\.env(\.(?!example$)[^/]*)?$/,
  /\.(pem|key|p12|sqlite|db|log|tgz|map)$/,
  /^(test|bench|scripts|dist\/(bench|prove))\//,
  /^dist\/examples\/(?!order\/demo\/)/,
];

/** The forms of keys that providers and registries give out. */
const SECRETS = [
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{100,}/,
  /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,}/,
  /\bgh[pousr]_[A-Za-z0-9]{36}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{35}\b/,
  /\bxox[abprs]-[A-Za-z0-9-]{20,}/,
];

/**
 * What is wrong with the files of a package.
 *
 * @param files paths in the package, as `npm pack --json` lists them
 */
export function contentProblems(name, files) {
  const lines = CONTENTS[name];
  const never = files.filter((file) => NEVER.some((one) => one.test(file)));
  const unexpected = files.filter((file) => !never.includes(file) && !lines.some((line) => line.test(file)));
  const missing = lines.filter((line) => !files.some((file) => line.test(file)));
  return [
    ...never.map((file) => `${name}: ${file} must never be published.`),
    ...unexpected.map((file) => `${name}: ${file} is not expected. scripts/release/contents.mjs lists what is.`),
    ...missing.map((line) => `${name}: no file matches ${line.source}.`),
  ];
}

/** Files of a package that have something of the form of a secret. */
export function secretProblems(name, folder, files) {
  return files
    .filter((file) => SECRETS.some((form) => form.test(readFileSync(path.join(folder, file), "utf8"))))
    .map((file) => `${name}: ${file} has something of the form of a secret.`);
}
