import { type Document, isMap } from "yaml";
import { defined } from "../../core/base/defined";
import { isObject } from "../../core/base/is-object";
import { NavigatorError } from "../../core/base/navigator-error";
import { keyId } from "../../core/review/people/key-id";
import { type PeopleFile, type PublicKey, publicKeyProblem } from "../../core/review/people/people-file";
import { shellWord } from "../shell-word";
import { checkedName } from "./key-store";
import { changePeople } from "./people-on-disk";

/**
 * What `navigator people` does to the file of a project's people (approvals reference, section 2). Nothing that was signed
 * is forgotten: people who leave and keys that are revoked stay, with the time. Times are ISO texts.
 *
 * Each function gives the people after the change. Errors: `not_found`, `already_exists`,
 * `invalid_input`, `bad_project`.
 */

interface NewPerson {
  /** A public key. */
  key?: string | undefined;
  email?: string | undefined;
  oidc?: string | undefined;
  /** Groups to join. One that does not exist is made. */
  groups?: readonly string[] | undefined;
}

/** Adds a person. Somebody who was removed comes back; the earlier keys are not restored. */
export function addPerson(file: string, name: string, { key, email, oidc, groups = [] }: NewPerson, now: string) {
  checkedName(name);
  for (const group of groups) checkedName(group);
  return changePeople(file, (document, people) => {
    const there = own(people.people, name);
    if (Object.hasOwn(people.services, name)) throw exists(name, `"${name}" is a service of this project.`);
    if (there !== undefined && there.removed === undefined) throw exists(name, `"${name}" is in ${file} already.`);
    if (key !== undefined) checkKey(people, "people", name, key);
    const { removed } = there ?? {};
    if (there === undefined) document.setIn(["people", name], document.createNode({}));
    for (const [i, one] of (there?.keys ?? []).entries())
      if (one.revoked === undefined) document.setIn(["people", name, "keys", i, "revoked"], removed);
    document.deleteIn(["people", name, "removed"]);
    open(document, ["people", name]);
    for (const [field, value] of Object.entries(defined({ email, oidc })))
      document.setIn(["people", name, field], value);
    if (key !== undefined) append(document, ["people", name, "keys"], keyEntry(key, now));
    for (const group of groups)
      if (!own(people.groups, group)?.members.includes(name)) append(document, ["groups", group, "members"], name);
  });
}

/** The person left: what the name signs from now on does not count. */
export function removePerson(file: string, name: string, now: string): PeopleFile {
  return changePeople(file, (document, people) => {
    const { removed } = personIn(people, name);
    if (removed !== undefined)
      throw new NavigatorError("not_found", `"${name}" left already, at ${removed}.`, {
        details: { path: name, kind: "person" },
      });
    document.setIn(["people", name, "removed"], now);
  });
}

/** One more key for a person or a service. */
export function addKey(file: string, name: string, key: string, now: string): PeopleFile {
  return changePeople(file, (document, people) => {
    const section = sectionOf(people, name);
    if (section === "people") presentPersonIn(people, name);
    checkKey(people, section, name, key);
    append(document, [section, name, "keys"], keyEntry(key, now));
  });
}

/** What the key signs from now on does not count. A key that was revoked stays so. */
export function revokeKey(file: string, name: string, kid: string, now: string): PeopleFile {
  return changePeople(file, (document, people) => {
    const section = sectionOf(people, name);
    const keys = keysOf(people, name);
    const at = keys.findIndex((key) => key.kid === kid);
    if (at < 0)
      throw new NavigatorError("not_found", `"${name}" has no key ${kid}.`, {
        hint: `Keys of ${name}: ${keys.map((key) => key.kid).join(", ") || "none"}`,
        details: { path: kid, kind: "key" },
      });
    if (keys[at]?.revoked === undefined) document.setIn([section, name, "keys", at, "revoked"], now);
  });
}

interface GroupChange {
  add?: readonly string[];
  remove?: readonly string[];
  /** null: nobody leads it any more. */
  lead?: string | null | undefined;
}

/** Changes a group, or makes it. A group without members is removed. */
export function changeGroup(file: string, group: string, { add = [], remove = [], lead }: GroupChange): PeopleFile {
  checkedName(group);
  return changePeople(file, (document, people) => {
    const before = own(people.groups, group);
    if (before === undefined && add.length === 0)
      throw new NavigatorError("not_found", `There is no group "${group}".`, {
        hint: `Make it: navigator people group ${shellWord(group)} --add NAME`,
        details: { path: group, kind: "group" },
      });
    for (const name of remove) personIn(people, name);
    for (const name of [...add, ...(lead ? [lead] : [])]) presentPersonIn(people, name);
    const members = [...new Set([...(before?.members ?? []), ...add])].filter((name) => !remove.includes(name));
    if (members.length === 0) return void document.deleteIn(["groups", group]);
    document.setIn(["groups", group, "members"], document.createNode(members, { flow: true }));
    if (lead === null) document.deleteIn(["groups", group, "lead"]);
    else if (lead !== undefined) document.setIn(["groups", group, "lead"], lead);
  });
}

/** Somebody may decide in a person's place. @param until no more from this time */
export function delegate(
  file: string,
  from: string,
  { to, begin, until }: { to: string; begin?: string | undefined; until: string },
): PeopleFile {
  return changePeople(file, (document, people) => {
    for (const name of [from, to]) presentPersonIn(people, name);
    if (from === to)
      throw new NavigatorError("invalid_input", `"${from}" cannot delegate to the same person.`, {
        details: { path: "to" },
      });
    append(document, ["people", from, "delegations"], { to, ...defined({ from: begin }), until });
  });
}

/** Adds a service, or a key and rights to one. */
export function setService(
  file: string,
  name: string,
  { key, may }: { key: string; may: readonly PeopleFile["services"][string]["may"][number][] },
  now: string,
): PeopleFile {
  checkedName(name);
  return changePeople(file, (document, people) => {
    if (Object.hasOwn(people.people, name)) throw exists(name, `"${name}" is a person of this project.`);
    const before = own(people.services, name);
    if (!before?.keys.some((one) => one.public === key && one.revoked === undefined)) {
      checkKey(people, "services", name, key);
      append(document, ["services", name, "keys"], keyEntry(key, now));
    }
    const rights = [...new Set([...(before?.may ?? []), ...may])];
    document.setIn(["services", name, "may"], document.createNode(rights, { flow: true }));
  });
}

/** The keys of a person or a service. @throws NavigatorError `not_found` */
export const keysOf = (people: PeopleFile, name: string): readonly PublicKey[] =>
  people[sectionOf(people, name)][name]?.keys ?? [];

/** A map of a file may be asked for `constructor`. */
const own = <T>(map: { [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(map, name) ? map[name] : undefined;

const keyEntry = (key: string, added: string) => ({ kid: keyId(key), public: key, added });

/** A key that can be given to this name of a section. */
function checkKey({ people, services }: PeopleFile, section: "people" | "services", name: string, key: string): void {
  const problem = publicKeyProblem(key);
  if (problem !== undefined)
    throw new NavigatorError("invalid_input", `"${key}" ${problem}.`, {
      hint: "The owner of the key sees it with: navigator whoami",
      details: { path: "key" },
    });
  for (const [owner, { keys }] of Object.entries({ ...services, ...people })) {
    const there = keys.find((one) => one.public === key);
    if (there === undefined) continue;
    const whose = owner === name ? `"${name}" has the key already` : `It is the key of "${owner}"`;
    throw new NavigatorError(
      "already_exists",
      `${whose}${there.revoked === undefined ? "." : `, and it was revoked at ${there.revoked}.`}`,
      {
        hint: section === "people" ? newKeyHint(name) : "Name another one: --key PUBLIC",
        details: { path: key, kind: "key" },
      },
    );
  }
}

/** A key is made where it stays: the owner of the people file cannot make one for somebody else. */
const newKeyHint = (name: string): string =>
  `"${name}" makes a new one, on the machine where it is to stay: navigator login --as ${shellWord(name)} --new`;

const exists = (name: string, message: string): NavigatorError =>
  new NavigatorError("already_exists", message, {
    hint: "Add a key to it: navigator people key NAME add PUBLIC\nOr choose another name.",
    details: { path: name, kind: "person" },
  });

function sectionOf(people: PeopleFile, name: string): "people" | "services" {
  if (Object.hasOwn(people.services, name)) return "services";
  personIn(people, name);
  return "people";
}

function personIn(people: PeopleFile, name: string): PeopleFile["people"][string] {
  const person = own(people.people, name);
  if (person !== undefined) return person;
  throw new NavigatorError("not_found", `"${name}" is not one of the project's people.`, {
    hint: `There are: ${Object.keys(people.people).join(", ") || "none"}\nAdd one: navigator people add ${shellWord(name)} --key PUBLIC`,
    details: { path: name, kind: "person" },
  });
}

/** Somebody who has not left: nobody else is given something to decide. @throws NavigatorError `not_found` */
export function presentPersonIn(people: PeopleFile, name: string): PeopleFile["people"][string] {
  const person = personIn(people, name);
  if (person.removed === undefined) return person;
  throw new NavigatorError("not_found", `"${name}" has left the project, at ${person.removed}.`, {
    hint: `Somebody who comes back needs a new key: navigator people add ${shellWord(name)} --key PUBLIC`,
    details: { path: name, kind: "person" },
  });
}

function append(document: Document, path: (string | number)[], value: unknown): void {
  const node = document.createNode(value, isObject(value) ? {} : { flow: true });
  if (document.hasIn(path)) document.addIn(path, node);
  else {
    open(document, path.slice(0, -1));
    document.setIn(path, document.createNode([node], { flow: !isObject(value) }));
  }
}

/** An empty `{}` gets separate lines before something is written into it. */
function open(document: Document, path: (string | number)[]): void {
  const map = document.getIn(path, true);
  if (isMap(map) && map.items.length === 0) map.flow = false;
}
