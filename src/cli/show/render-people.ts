import { hasPeople, type PeopleFile, type PublicKey, peopleVersion } from "../../core/review/people/people-file";
import { renderTable } from "../terminal/render";

/** The people, groups and services of a project. */
export function peopleText(file: PeopleFile, path: string): string {
  if (!hasPeople(file) && Object.keys(file.services).length === 0)
    return [
      `The project has no people (${path}): decisions are taken under any name, and are unverified.`,
      "Begin with yourself: navigator login --add",
    ].join("\n");
  const people = Object.entries(file.people).map(([name, { email = "", keys, removed, delegations }]) => [
    name,
    groupsText(file, name),
    keyCount(keys),
    email,
    removed === undefined
      ? delegations.map(({ to, until }) => `${to} may decide until ${until}`).join(", ")
      : `left at ${removed}`,
  ]);
  const services = Object.entries(file.services).map(([name, { may, keys }]) => [
    name,
    may.join(", ") || "(no right)",
    keyCount(keys),
  ]);
  return [
    renderTable(people, ["NAME", "GROUPS", "KEYS", "E-MAIL", ""]),
    ...(services.length === 0 ? [] : ["", renderTable(services, ["SERVICE", "MAY", "KEYS"])]),
    "",
    `Version: ${peopleVersion(file)} (each decision keeps the version with which it was checked)`,
  ].join("\n");
}

const groupsText = ({ groups }: PeopleFile, name: string): string =>
  Object.entries(groups)
    .filter(([, { members, lead }]) => members.includes(name) || lead === name)
    .map(([group, { lead }]) => (lead === name ? `${group} (leads)` : group))
    .join(", ");

function keyCount(keys: readonly PublicKey[]): string {
  const valid = keys.filter(({ revoked }) => revoked === undefined).length;
  return valid === keys.length ? String(valid) : `${valid}, ${keys.length - valid} revoked`;
}

/** The keys of one person or service. */
export const keysText = (keys: readonly PublicKey[]): string =>
  renderTable(
    keys.map(({ kid, public: text, added, revoked }) => [kid, text, added, revoked ?? ""]),
    ["KEY", "PUBLIC", "ADDED", "REVOKED"],
  );
