import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type PeopleFile, type PublicKey, parsePeople } from "../../src/core/review/people/people-file";
import { logIn, serviceKey } from "../../src/node/identity/key-store";
import { newPrivateKey, type PrivateKey } from "../../src/node/identity/keys";
import { peopleFileOf } from "../../src/node/identity/people-on-disk";
import { projectTokens, type TokenStore } from "../../src/node/identity/token-store";
import { PRIVATE_FILE, privateFolder } from "../../src/node/private-files";
import { publicPart } from "./seeded-key";

/** Three people may approve a payment; eve may, too, with her new key. */
export const PAYERS = ["anna", "ben", "cleo"] as const;
/** Who asks for every mission. */
export const REQUESTER = "rita";
/** So many must agree. */
export const QUORUM = PAYERS.length;

const PAST = "2026-01-02T00:00:00Z";

/**
 * The people of the proof, in a separate project folder, with an identity folder for each as on a machine of theirs.
 *
 * dora is one of the project's people and may not pay, eve's first key was revoked, gil has left. The service `page`
 * vouches for people, the service `clerk` may not. rita is a payer, too, and asks for every mission; dan stands for her. mallory is nobody here, and has a key, too.
 */
export class Team {
  private readonly keys: { [name: string]: PrivateKey };
  /** Keys that do not count: of a stranger, and the one of eve that was revoked. */
  readonly stranger = newPrivateKey();
  readonly revoked = newPrivateKey();
  /** Bearer tokens of an MCP server over HTTP. */
  readonly tokens: TokenStore;
  private file: PeopleFile;
  private guests = 0;

  private constructor(readonly folder: string) {
    const people = ["anna", "ben", "cleo", "dora", "eve", "gil", REQUESTER, "dan"];
    const own = [...people, "mallory"].map((name) => [name, logIn(null, name, { folder: this.identityOf(name) }).key]);
    const services = { page: newPrivateKey(), clerk: newPrivateKey(), mcp: serviceKey("mcp", this.identityOf("mcp")) };
    this.keys = { ...Object.fromEntries(own), ...services };
    this.tokens = projectTokens(null, this.identityOf("mcp"));
    const parsed = parsePeople({
      people: {
        ...Object.fromEntries(people.map((name) => [name, { keys: [this.published(name)] }])),
        eve: { keys: [{ ...publicPart(this.revoked), revoked: PAST }, this.published("eve")] },
        gil: { keys: [this.published("gil")], removed: PAST },
        [REQUESTER]: {
          keys: [this.published(REQUESTER)],
          delegations: [{ to: "dan", until: "2999-01-01T00:00:00Z" }],
        },
      },
      groups: { payers: { members: [...PAYERS, "eve", REQUESTER] } },
      services: {
        page: { keys: [this.published("page")], may: ["vouch"] },
        clerk: { keys: [this.published("clerk")] },
        mcp: { keys: [this.published("mcp")], may: ["vouch"] },
      },
    });
    if (!parsed.ok) throw new Error(parsed.fail.message);
    this.file = parsed.value;
    this.write();
  }

  static open(): Team {
    const team = new Team(mkdtempSync(path.join(tmpdir(), "navigator-prove-")));
    writeFileSync(path.join(team.folder, "navigator.config.json"), "{}\n");
    return team;
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The people file that workers, commands and MCP servers read. */
  get peopleFile(): string {
    return peopleFileOf(this.folder);
  }

  /** The NAVIGATOR_IDENTITY of somebody's machine. */
  identityOf(name: string): string {
    return path.join(this.folder, "machines", name);
  }

  /**
   * A machine on which somebody has stored a key under the name of a person, and claims to be that person.
   *
   * @returns its NAVIGATOR_IDENTITY
   */
  machineWith(machine: string, person: string | null, key: PrivateKey): string {
    const folder = this.identityOf(machine);
    privateFolder(path.join(folder, "people"));
    if (person === null) writeFileSync(path.join(folder, "current.json"), "{}", PRIVATE_FILE);
    else {
      writeFileSync(path.join(folder, "people", `${person}.json`), JSON.stringify(key), PRIVATE_FILE);
      writeFileSync(path.join(folder, "current.json"), JSON.stringify({ none: person }), PRIVATE_FILE);
    }
    return folder;
  }

  key(name: string): PrivateKey {
    const key = this.keys[name];
    if (key === undefined) throw new Error(`Nobody is called "${name}" here.`);
    return key;
  }

  /** One more payer, for a case that revokes a key: other cases continue in parallel. */
  addPayer(): string {
    this.guests += 1;
    const [name, key] = [`guest-${this.guests}`, newPrivateKey()];
    this.keys[name] = key;
    const payers = this.file.groups.payers?.members ?? [];
    this.file.people[name] = { keys: [publicPart(key)], delegations: [] };
    this.file.groups.payers = { members: [...payers, name] };
    this.write();
    return name;
  }

  /** From now on the keys of this person do not count. */
  revokeKeysOf(name: string): void {
    for (const key of this.file.people[name]?.keys ?? []) key.revoked = PAST;
    this.write();
  }

  private published(name: string): PublicKey {
    return publicPart(this.key(name));
  }

  /** JSON is YAML, too. With one rename: a reader sees the file as it was, or as it is now. */
  private write(): void {
    const fresh = `${this.peopleFile}.new`;
    writeFileSync(fresh, JSON.stringify(this.file, null, 2));
    renameSync(fresh, this.peopleFile);
  }
}
