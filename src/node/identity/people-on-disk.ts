import { existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Document, isCollection, isMap, parseDocument } from "yaml";
import { NavigatorError } from "../../core/base/navigator-error";
import { hasPeople, NO_PEOPLE, type PeopleFile, parsePeople } from "../../core/review/people/people-file";
import { parseYaml, readTextFile } from "../data-file";
import { changingFile, fileNotWritten } from "../file-lock";
import { type Issue, mistakesText, placed } from "../file-mistakes";

/** The file `people.yaml` of a project folder (approvals reference, section 2). */

/** Where a project has its people. @param folder of the project */
export const peopleFileOf = (folder: string): string => path.join(folder, "people.yaml");

/**
 * The people of a file; nobody if there is none.
 *
 * @throws NavigatorError `bad_project`, `invalid_input` with file and line
 */
export function loadPeople(file: string): PeopleFile {
  const text = textOf(file);
  return text === null ? NO_PEOPLE : peopleIn(text, file);
}

/**
 * The people of a project for a worker: `createWorker({ people: readPeople("people.yaml") })`. Each call looks at the file
 * again, so that a key that was revoked counts no more. What cannot be read allows nothing: a file that got a mistake, is
 * gone, or lost all its people since the last call makes the call fail.
 *
 * @throws NavigatorError `bad_project`, `invalid_input` with file and line, `file_error`
 */
export function readPeople(file: string): () => PeopleFile {
  let last: { text: string | null; people: PeopleFile } = { text: null, people: NO_PEOPLE };
  return () => {
    // The text itself is compared: a time of change may be equal for two writes, and the file is small.
    const text = textOf(file);
    if (text === last.text) return last.people;
    const people = text === null ? NO_PEOPLE : peopleIn(text, file);
    if (hasPeople(last.people) && !hasPeople(people))
      throw new NavigatorError(
        "bad_project",
        `${file} had people, and ${text === null ? "is gone" : "has none now"}.`,
        {
          hint: "Bring it back. If the project has no people any more, start the worker again.",
          details: { path: file },
        },
      );
    last = { text, people };
    return people;
  };
}

/** null: there is no such file. One that cannot be read is an error. */
function textOf(file: string): string | null {
  try {
    return readTextFile(file);
  } catch (error) {
    if (error instanceof NavigatorError && error.code === "not_found") return null;
    throw error;
  }
}

/** The people in a text; `file` is its name in messages. */
function peopleIn(text: string, file: string): PeopleFile {
  const parsed = parsePeople(parseYaml(text, file));
  if (!parsed.ok) {
    const issues = parsed.fail.details?.issues as unknown as { field: string; message: string }[];
    throw mistakes(
      file,
      text,
      issues.map(({ field, message }) => ({ path: field, message })),
    );
  }
  return parsed.value;
}

function mistakes(file: string, text: string, found: readonly Issue[]): NavigatorError {
  const issues = placed(text, found);
  return new NavigatorError("bad_project", mistakesText(file, issues), {
    hint: "Correct the mistakes that the message names; navigator people writes the file without mistakes.",
    details: { path: file, issues },
  });
}

/**
 * Changes the file, or makes it. Comments and order of what is not changed stay. Changes that come at once are made one
 * after another, so none is lost.
 *
 * @param change gets the document and the people as they are
 * @throws NavigatorError `bad_project` if the file is invalid, or would be after the change: then it stays as it is;
 *   `file_error`
 */
export function changePeople(file: string, change: (document: Document, people: PeopleFile) => void): PeopleFile {
  return changingFile(targetOf(file), () => changedPeople(file, change));
}

function changedPeople(file: string, change: Parameters<typeof changePeople>[1]): PeopleFile {
  const before = textOf(file) ?? NEW_FILE;
  const people = peopleIn(before, file);
  const document: Document = parseDocument(before);
  if (!isMap(document.contents)) document.contents = document.createNode({});
  change(document, people);
  withoutEmpty(document);
  const text = document.toString({ lineWidth: 0 });
  const after = peopleIn(text, file);
  replace(file, text);
  return after;
}

const NEW_FILE = `# Who may decide in this project. Public keys only: commit this file. Written by \`navigator people\`.\n`;

/** A list or a map that a change has emptied is left out: the schema has no empty groups. */
function withoutEmpty(document: Document): void {
  for (const section of ["people", "groups", "services"]) {
    const found = document.get(section);
    if (isCollection(found) && found.items.length === 0) document.delete(section);
  }
}

/** With one rename: a reader sees the file as it was, or as it is now. */
function replace(file: string, text: string): void {
  const target = targetOf(file);
  const fresh = `${target}.${process.pid}.new`;
  try {
    const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o644;
    writeFileSync(fresh, text, { mode });
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw fileNotWritten(file, error);
  }
}

/** The file itself, where a link is given. */
const targetOf = (file: string): string => (existsSync(file) ? realpathSync(file) : file);
