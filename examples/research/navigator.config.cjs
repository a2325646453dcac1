// The tools of the research example: they only read the notes in this folder. `effect: "read"` makes a call cheap and
// repeatable. With `cache` a searcher reads each note only once.
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
        // The name comes from a model: it must be in the list, and must not be a path.
        if (!readdirSync(NOTES).includes(name)) throw new Error(`There is no note "${name}".`);
        return readFileSync(path.join(NOTES, name), "utf8");
      },
    }),
  ],
};
