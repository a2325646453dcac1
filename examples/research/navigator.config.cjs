// The tools of the research example: nothing but reading the notes in this folder. `effect: "read"` makes a call cheap
// and repeatable; with `cache` a searcher reads each note once, however often it asks.
const { readdirSync, readFileSync } = require("node:fs");
const path = require("node:path");
const { defineTool } = require("navigator-agents");

const NOTES = path.join(__dirname, "notes");

module.exports = {
  agents: "./agents",
  script: "./script.yaml",
  tools: [
    defineTool({
      name: "list_notes",
      description: "Names of all notes",
      signature: "() -> [:string]",
      effect: "read",
      cache: true,
      run: () => readdirSync(NOTES).sort(),
    }),
    defineTool({
      name: "read_note",
      description: "The text of one note",
      signature: "(name :string) -> :string",
      effect: "read",
      cache: true,
      run: ({ name }) => {
        // A name comes from a model: it must be one of the list, and no path.
        if (!readdirSync(NOTES).includes(name)) throw new Error(`There is no note "${name}".`);
        return readFileSync(path.join(NOTES, name), "utf8");
      },
    }),
  ],
};
