import { z } from "zod";
import type { Result } from "../../base/failure";
import { readInput } from "../../base/input/invalid-input";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";
import { canonicalDigest } from "../../effects/effect-id";
import { isCanonicalKey, keyId } from "./key-id";
import { isReservedName } from "./principal";
import { spellingOf } from "./spelling";

/**
 * The people of a project: its file `people.yaml`, which is committed and has public keys only (approvals reference,
 * section 2).
 */

/** Names of people, groups and services: no blanks, and no ":", which begins the word for a group. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,99}$/u;

const PUBLIC_KEY = /^[A-Za-z0-9_-]{43}$/;
const KEY_ID = /^[A-Za-z0-9_-]{16}$/;

/** The message of a map with these fields: a misspelt one is named. */
const mapOf = (fields: string): { error: z.core.$ZodErrorMap } => ({
  error: (issue) =>
    issue.code === "unrecognized_keys"
      ? `has ${issue.keys.map((key) => `"${key}"`).join(", ")}, which is no field; there are ${fields}`
      : `must be a map of ${fields}`,
});

const schemas = onFirstUse(() => {
  const name = z
    .string("must be a name")
    .regex(NAME, "must be a name of letters, digits and ._@+-, at most 100 characters")
    .refine((text) => !isReservedName(text) && !isHostName(text), "is a name of the system");
  const time = z.iso.datetime({ offset: true, error: "must be a time as in 2026-11-23T09:00:00Z" });
  /** 32 bytes in base64url. */
  const publicKey = z
    .string("must be a text")
    .regex(PUBLIC_KEY, { error: "must be an Ed25519 public key: 43 characters of base64url", abort: true })
    .refine(isCanonicalKey, "is no base64url of 32 bytes: the last character has unused bits");
  const key = z
    .strictObject(
      {
        /** The first 16 characters of the SHA-256 of the public key, in base64url. */
        kid: z.string("must be a text").regex(KEY_ID, "must be 16 characters of base64url"),
        public: publicKey,
        added: time,
        /** From when on the key is known to be revoked. Nothing that comes later counts, whatever time this is. */
        revoked: time.optional(),
      },
      mapOf("kid, public, added, revoked"),
    )
    // Otherwise somebody could enable a revoked key again under another id.
    .superRefine(({ kid, public: key }, context) => {
      const id = keyId(key);
      if (kid !== id)
        context.addIssue({ code: "custom", path: ["kid"], message: `is not the id of this key, which is ${id}` });
    });
  const delegation = z.strictObject({ to: name, from: time.optional(), until: time }, mapOf("to, from, until"));
  const person = z.strictObject(
    {
      name: z.string("must be a text").optional(),
      email: z.email("must be an e-mail address").optional(),
      /** The subject of an OIDC token that stands for this person. */
      oidc: z.string("must be a text").min(1).optional(),
      keys: z.array(key).default([]),
      /** Who may decide in this person's place, and until when. */
      delegations: z.array(delegation).default([]),
      /** The person left: nothing that this name signs counts any more, whatever time this is. */
      removed: time.optional(),
    },
    mapOf("name, email, oidc, keys, delegations, removed"),
  );
  const group = z.strictObject(
    { members: z.array(name).min(1, "must name somebody"), lead: name.optional() },
    mapOf("members, lead"),
  );
  const service = z.strictObject(
    {
      keys: z.array(key).default([]),
      may: z.array(z.enum(["vouch", "sign_ledger"], "must be vouch or sign_ledger")).default([]),
    },
    mapOf("keys, may"),
  );
  const file = z
    .strictObject(
      {
        people: z.record(name, person).default({}),
        groups: z.record(name, group).default({}),
        services: z.record(name, service).default({}),
        policy: z
          .strictObject({
            /** Which decisions count without a signature. */
            unsigned: z.enum(["never", "reversible", "always"], "must be never, reversible or always").optional(),
          })
          .default({}),
      },
      mapOf("people, groups, services, policy"),
    )
    .superRefine((people, context) => {
      for (const { path, message } of problemsOf(people)) context.addIssue({ code: "custom", path, message });
    });
  // A map of names drops this one, and the file would be one without people.
  const raw = z.unknown().superRefine((content, context) => {
    for (const path of hostNamesIn(content))
      context.addIssue({ code: "custom", path, message: "is a name of the system" });
  });
  return { file, input: raw.pipe(file), name, publicKey };
});

/** Names that every map of JavaScript has. */
const isHostName = (name: string): boolean => ["__proto__", "constructor", "prototype"].includes(name);

/** Where a file has `__proto__` as a name. */
const hostNamesIn = (content: unknown): string[][] =>
  ["people", "groups", "services"]
    .filter(
      (section) => isObject(content) && isObject(content[section]) && Object.hasOwn(content[section], "__proto__"),
    )
    .map((section) => [section, "__proto__"]);

/** The schema of `people.yaml`. */
export const PeopleFile = () => schemas().file;
/** The people, groups and services of a project. */
export type PeopleFile = z.output<ReturnType<typeof PeopleFile>>;
/** A public key, when it was added, and when it was revoked. */
export type PublicKey = PeopleFile["services"][string]["keys"][number];

/** A project without a file, or with an empty one. */
export const NO_PEOPLE: PeopleFile = { people: {}, groups: {}, services: {}, policy: {} };

/** Reads the content of a people file; reason `bad_project` names every mistake. */
export function parsePeople(raw: unknown): Result<PeopleFile> {
  return readInput(schemas().input, raw ?? {}, "bad_project", "people file");
}

/** What is wrong with a name for a person, a group or a service; undefined = nothing. */
export const principalNameProblem = (name: string): string | undefined => problemWith(schemas().name, name);

/** What is wrong with the text of a public key; undefined = nothing. */
export const publicKeyProblem = (text: string): string | undefined => problemWith(schemas().publicKey, text);

const problemWith = (schema: z.ZodType, text: string): string | undefined =>
  schema.safeParse(text).error?.issues.map(({ message }) => message)[0];

/** Whether the project has people: then names alone decide nothing. */
export const hasPeople = ({ people }: PeopleFile): boolean => Object.keys(people).length > 0;

/** Which decisions count without a signature. */
export const unsignedPolicy = (file: PeopleFile): "never" | "reversible" | "always" =>
  file.policy.unsigned ?? (hasPeople(file) ? "reversible" : "always");

/**
 * The version of the people of a project: SHA-256 of their RFC 8785 canonical JSON, in base64url. Comments and the order of
 * the file change nothing; each person, key, group, delegation and policy does.
 */
export const peopleVersion = (file: PeopleFile): string =>
  // Fields that are left out are no fields of it.
  canonicalDigest(JSON.parse(JSON.stringify(file)) as JsonObject);

interface Problem {
  path: string[];
  message: string;
}

/** Mistakes across fields: names that do not exist, names and keys that appear twice. */
function problemsOf({ people, groups, services }: PeopleFile): Problem[] {
  const problems: Problem[] = [];
  const isKnown = (name: string) => Object.hasOwn(people, name);
  for (const name of Object.keys(services))
    if (isKnown(name)) problems.push({ path: ["services", name], message: "is the name of a person, too" });
  for (const [name, { members, lead }] of Object.entries(groups))
    for (const member of [...members, ...(lead === undefined ? [] : [lead])])
      if (!isKnown(member)) problems.push({ path: ["groups", name], message: `names "${member}", who is not there` });
  for (const [name, { delegations }] of Object.entries(people))
    for (const { to } of delegations)
      if (!isKnown(to)) problems.push({ path: ["people", name], message: `delegates to "${to}", who is not there` });
  const owners = new Map<string, string>();
  const holders: [string, string, { keys: PublicKey[] }][] = [
    ...Object.entries(people).map(([name, one]): [string, string, { keys: PublicKey[] }] => ["people", name, one]),
    ...Object.entries(services).map(([name, one]): [string, string, { keys: PublicKey[] }] => ["services", name, one]),
  ];
  for (const [section, name, { keys }] of holders)
    for (const key of keys) {
      const owner = owners.get(key.kid) ?? owners.get(key.public);
      // A key that stands twice would be valid once and revoked once.
      if (owner !== undefined)
        problems.push({
          path: [section, name],
          message: `has the key ${key.kid}${owner === name ? " twice" : `, which is "${owner}"'s`}`,
        });
      owners.set(key.kid, name).set(key.public, name);
    }
  // A person and a service may both sign, so they have no name in common. A group never does.
  problems.push(
    ...alike([
      ...Object.keys(people).map((name) => ["people", name]),
      ...Object.keys(services).map((name) => ["services", name]),
    ] as [string, string][]),
    ...alike(Object.keys(groups).map((name) => ["groups", name])),
  );
  const subjects = new Map<string, string>();
  for (const [name, { oidc }] of Object.entries(people)) {
    if (oidc === undefined) continue;
    const owner = subjects.get(oidc);
    if (owner !== undefined) problems.push({ path: ["people", name], message: `has the OIDC subject of "${owner}"` });
    subjects.set(oidc, name);
  }
  return problems;
}

/** Names that differ in how they are written alone. */
function alike(names: readonly [section: string, name: string][]): Problem[] {
  const spellings = new Map<string, string>();
  return names.flatMap(([section, name]) => {
    const spelling = spellingOf(name);
    const other = spellings.get(spelling);
    if (other === undefined) spellings.set(spelling, name);
    return other === undefined || other === name
      ? []
      : [
          {
            path: [section, name],
            message: `looks like "${other}": names must differ in more than how they are written`,
          },
        ];
  });
}
