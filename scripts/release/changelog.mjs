// CHANGELOG.md: what is unreleased becomes the section of a version, and a version has one.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const UNRELEASED = "Unreleased";
const file = (root) => path.join(root, "CHANGELOG.md");

/** Its `## ` sections: the first word of the heading, and the text. */
function sections(text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({ name: part.split(/[\s]/, 1)[0], body: part.slice(part.indexOf("\n")).trim() }));
}

/** The text of a version's section. @returns undefined if there is none or it is empty */
export function notesOf(root, version) {
  const body = sections(readFileSync(file(root), "utf8")).find(({ name }) => name === version)?.body;
  return body === "" ? undefined : body;
}

/** @param isTagged whether this is to be published now: the version then has its own section */
export function changelogProblems(root, version, isTagged) {
  if (notesOf(root, version) !== undefined) return [];
  if (!isTagged && notesOf(root, UNRELEASED) !== undefined) return [];
  return [
    `CHANGELOG.md has no section "## ${version} - YYYY-MM-DD" with a line in it: npm version makes it of "Unreleased".`,
  ];
}

/** Makes the section of a version of what is unreleased. @param date YYYY-MM-DD */
export function releaseNotes(root, version, date) {
  const text = readFileSync(file(root), "utf8");
  if (notesOf(root, version) !== undefined) return;
  if (notesOf(root, UNRELEASED) === undefined) throw new Error("CHANGELOG.md has nothing unreleased.");
  writeFileSync(file(root), text.replace(`## ${UNRELEASED}\n`, `## ${UNRELEASED}\n\n## ${version} - ${date}\n`));
}
