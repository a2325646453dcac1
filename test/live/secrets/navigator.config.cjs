/** A project whose tools, model, services and errors repeat its secrets, each beside a harmless text. */
const { defineTool } = require("navigator-agents");

const secret = (n) => process.env[`PLANTED_${n}_TOKEN`] ?? "";
const word = (place) => `${place}-${process.env.HARMLESS}`;
/** `${NAME}`, as settings name a variable of the environment. */
const variable = (name) => `\${${name}}`;
const program = (source) => `\`\`\`clojure\n${source}\n\`\`\``;

const FORMS = [
  (text) => text,
  (text) => Buffer.from(`user:${text}`).toString("base64"),
  (text) => `https://x.example/?k=${encodeURIComponent(text)}`,
  (text) => Buffer.from(text).toString("hex"),
  (text) => JSON.stringify({ key: text }),
];

module.exports = {
  agents: [
    {
      name: "leaky",
      prompt: "Tell what you know.",
      signature: "(note :string?) -> :any",
      max_turns: 4,
      tools: ["leak", "fail_with_it", "charge", "shop_listOrders", "own_get-env"],
    },
  ],
  tools: [
    defineTool({
      name: "leak",
      effect: "read",
      run: () =>
        Object.fromEntries(
          Array.from({ length: 40 }, (_, n) => [
            n % 2 ? `k${n}` : `k${n}-${secret(n)}`,
            FORMS[n % 5](secret(n)),
          ]).concat([["word", word("answer")]]),
        ),
    }),
    defineTool({
      name: "fail_with_it",
      effect: "read",
      run: () => {
        throw new Error(`401 ${word("error")} for ${secret(40)}`, { cause: new Error(`Bearer ${secret(41)}`) });
      },
    }),
    defineTool({
      name: "charge",
      description: "Charges.",
      signature: "(note :string) -> :string",
      effect: "irreversible",
      approval: true,
      run: ({ note }) => `${note} ${secret(42)}`,
    }),
  ],
  http: {
    shop: {
      openapi: process.env.SHOP_DOCUMENT,
      baseUrl: process.env.SHOP_URL,
      auth: { token: variable("PLANTED_43_TOKEN") },
      // It stands in the configuration itself.
      headers: { "x-api-key": process.env.PLAIN_SETTING },
      operations: ["listOrders"],
    },
  },
  mcp: {
    own: {
      command: process.execPath,
      args: [process.env.MCP_PROGRAM, "stdio"],
      env: { API_TOKEN: variable("PLANTED_44_TOKEN"), SHOWN: word("setting") },
      tools: ["get-env"],
    },
  },
  notify: { webhook: { url: process.env.HOOK_URL, secret_env: "PLANTED_45_TOKEN", allow_plain: true } },
  script: {
    leaky: [
      {
        content: `I know ${word("thought")} and ${secret(46)}.\n${program(`
          (def a (tool/leak {}))
          (println a)
          (println "${secret(47)}" (tool-try (tool/fail_with_it {})))
          (println (tool/shop_listOrders {}))
          (println (tool/own_get-env {}))`)}`,
      },
      {
        content: program(`
          (task "kept" "${word("record")} ${secret(48)}")
          (println (tool-try (tool/charge {:note "${word("masked")} ${secret(49)}"})))
          (task "paid" (tool/charge {:note "${word("asked")}"}))
          (return {:all a :own "${word("result")} ${secret(49)}"})`),
      },
    ],
  },
};
