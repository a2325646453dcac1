import type { PeopleFile } from "../../core/review/people/people-file";
import { shellWord } from "../shell-word";
import type { PrivateKey } from "./keys";

/** A person, and the key that signs for them: their own, or that of a service that vouches. */
export interface Signer {
  person: string;
  key: PrivateKey;
}

/** Why there is nobody who could sign, and what helps. */
export interface NoSigner {
  nobody: string;
  hint: string;
}

/** The signer on the machine of a person: the person logged in there, with a key that people.yaml has. */
export function ownSigner(file: PeopleFile, loggedIn: Signer | null): Signer | NoSigner {
  if (loggedIn === null)
    return {
      nobody: "Nobody is logged in on this machine.",
      hint: "The person at the client logs in: navigator login --as NAME",
    };
  const { person, key } = loggedIn;
  if (activePerson(file, person)?.keys.some(({ kid, revoked }) => kid === key.kid && revoked === undefined))
    return loggedIn;
  return {
    nobody: `"${person}" is logged in on this machine, and people.yaml does not have the key ${key.kid}.`,
    hint: `Somebody adds it: navigator people key ${shellWord(person)} add ${key.x}`,
  };
}

/**
 * Who signs for a caller of an HTTP server: the server's service, for the person of the project that it has authenticated.
 *
 * @param person undefined: the request has authenticated nobody
 */
export function callerSigner(
  file: PeopleFile,
  person: string | undefined,
  service: string,
  serviceKey: () => PrivateKey,
): Signer | NoSigner {
  if (person === undefined || activePerson(file, person) === undefined)
    return {
      nobody: "The request has no token of one of the project's people.",
      hint: "The person at the client sends a personal token: navigator token create NAME, or one of the OIDC issuer.",
    };
  return vouchingSigner(file, person, service, serviceKey);
}

/**
 * Who signs for a person that a server has authenticated: the server's service, if it may vouch for people (approvals reference,
 * section 1).
 *
 * @param serviceKey the private key of the service on this machine
 */
function vouchingSigner(
  file: PeopleFile,
  person: string,
  service: string,
  serviceKey: () => PrivateKey,
): Signer | NoSigner {
  const vouching = file.services[service];
  const hint = `Somebody lets it vouch, on this machine: navigator people service ${shellWord(service)} --may vouch`;
  if (!vouching?.may.includes("vouch"))
    return { nobody: `The service "${service}" of this server may not vouch for people.`, hint };
  const key = serviceKey();
  if (vouching.keys.some(({ kid, revoked }) => kid === key.kid && revoked === undefined)) return { person, key };
  return { nobody: `people.yaml does not have the key ${key.kid} of this server's service "${service}".`, hint };
}

/** Whether people.yaml marks a person as removed. */
export const hasLeft = ({ people }: PeopleFile, name: string): boolean =>
  Object.hasOwn(people, name) && people[name]?.removed !== undefined;

/** Somebody of the project who has not left. */
export function activePerson({ people }: PeopleFile, name: string): PeopleFile["people"][string] | undefined {
  const person = Object.hasOwn(people, name) ? people[name] : undefined;
  return person?.removed === undefined ? person : undefined;
}
