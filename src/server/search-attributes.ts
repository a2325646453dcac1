import { type Connection, isGrpcServiceError } from "@temporalio/client";
import { NavigatorError } from "../core/base/navigator-error";
import { SEARCH_ATTRIBUTES, type SearchAttributeName, TYPE_WORDS } from "../core/base/search-attributes";
import { shellWord } from "../node/shell-word";

// gRPC status numbers, written out: the enum lives in a package we do not depend on.
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;

// IndexedValueType of Temporal's API, as numbers for the same reason.
const TYPE_NUMBERS = { KEYWORD: 2, INT: 3, DOUBLE: 4, DATETIME: 6, KEYWORD_LIST: 7 } as const;

/** Either kind of connection: a client's, or a worker's. */
type WithServices = Pick<Connection, "operatorService" | "workflowService">;

const TYPES = Object.keys(TYPE_NUMBERS) as (keyof typeof TYPE_NUMBERS)[];
const NAMES = Object.keys(SEARCH_ATTRIBUTES) as SearchAttributeName[];
const typeOf = (name: SearchAttributeName) => TYPE_NUMBERS[SEARCH_ATTRIBUTES[name]];

/**
 * Creates the search attributes that a namespace lacks. Gives the names that were created; safe to call at every start.
 *
 * @throws NavigatorError namespace_not_found; search_attributes when one has another type, or may not be created here.
 */
export async function ensureSearchAttributes(
  connection: WithServices,
  namespace: string,
): Promise<SearchAttributeName[]> {
  const missing = await missingSearchAttributes(connection, namespace);
  if (missing.length === 0) return [];
  try {
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, typeOf(name)])),
    });
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    // Two workers started at once, and the other one was faster. Anything still missing is a real refusal.
    const left = error.code === ALREADY_EXISTS ? await missingSearchAttributes(connection, namespace) : missing;
    if (left.length > 0) throw cannotCreate(namespace, left, error.details || error.message);
  }
  return missing;
}

/** The search attributes that a namespace lacks; those of another type are refused. */
export async function missingSearchAttributes(
  connection: WithServices,
  namespace: string,
): Promise<SearchAttributeName[]> {
  const existing = await listed(connection, namespace);
  const wrong = NAMES.filter((name) => existing[name] !== undefined && existing[name] !== typeOf(name));
  if (wrong.length > 0)
    throw new NavigatorError(
      "search_attributes",
      `Search attributes of namespace "${namespace}" have another type than Navigator needs: ${wrong.map((name) => `${name} must be ${SEARCH_ATTRIBUTES[name]}`).join(", ")}.`,
      { hint: "Use another namespace (TEMPORAL_NAMESPACE), or remove them if nothing else uses them." },
    );
  return NAMES.filter((name) => existing[name] === undefined);
}

async function listed(connection: WithServices, namespace: string): Promise<Record<string, number | null | undefined>> {
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    const aliases = aliasTypes(config?.customSearchAttributeAliases ?? {});
    // A server on SQL opens a connection to itself at each call of listSearchAttributes and never closes it.
    if (NAMES.every((name) => Object.hasOwn(aliases, name))) return aliases;
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    return customAttributes ?? {};
  } catch (error) {
    if (!isGrpcServiceError(error) || error.code !== NOT_FOUND) throw error;
    throw new NavigatorError("namespace_not_found", `The Temporal server has no namespace "${namespace}".`, {
      hint: `Create it: temporal operator namespace create -n ${shellWord(namespace)}\nOr set TEMPORAL_NAMESPACE to one that exists.`,
    });
  }
}

/**
 * The types of a namespace's attributes on a server that keeps them in SQL: there each one is the alias of a column, `Keyword03`.
 * A server with Elasticsearch has no aliases.
 */
function aliasTypes(aliases: { [column: string]: string }): Record<string, number> {
  const types = Object.entries(aliases).flatMap(([column, alias]) => {
    const word = column.replace(/\d+$/, "");
    const type = TYPES.find((one) => TYPE_WORDS[one] === word);
    return type === undefined ? [] : [[alias, TYPE_NUMBERS[type]] as const];
  });
  return Object.fromEntries(types);
}

function cannotCreate(namespace: string, names: SearchAttributeName[], problem: string): NavigatorError {
  return lacking(namespace, names, `, and they cannot be created from here: ${problem}`);
}

/** The error about a namespace in which nothing can be started yet. It names what is missing, and the command that creates it. @param otherWay to get them */
export const searchAttributesMissing = (
  namespace: string,
  names: SearchAttributeName[],
  otherWay?: string,
): NavigatorError => lacking(namespace, names, ` that Navigator's workflows set: ${names.join(", ")}`, otherWay);

function lacking(namespace: string, names: SearchAttributeName[], why: string, otherWay?: string): NavigatorError {
  const flags = names.map((name) => `--name ${name} --type ${TYPE_WORDS[SEARCH_ATTRIBUTES[name]]}`);
  return new NavigatorError("search_attributes", `Namespace "${namespace}" lacks search attributes${why}.`, {
    hint: `Ask somebody with the permission to create them:\ntemporal operator search-attribute create -n ${shellWord(namespace)} ${flags.join(" ")}${otherWay === undefined ? "" : `\n${otherWay}`}`,
    details: { missing: names },
  });
}
