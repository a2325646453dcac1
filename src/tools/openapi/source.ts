import { defined } from "../../core/base/defined";
import type { ToolSpec } from "../../core/calls/tool";
import { descriptionOf } from "../../core/signature/json-schema/description";
import { CallShape } from "../call-shape";
import { toolResultJson } from "../result";
import { jsonSchemaInput } from "../schema/declared-input";
import { Secrets } from "../secrets";
import { badSetting, type OpenedSource, type SourcePlace, type ToolSource } from "../source";
import { checkEffects, makeTools, sourceEffects, sourceToolName } from "../source-tools";
import type { Tool } from "../tool";
import { argumentsOf } from "./arguments";
import { type OpenApiDocument, readDocument, serverOf } from "./document";
import { sendRequest } from "./http-call";
import { type FoundOperation, findOperations, readOperation } from "./operation";
import { requestOf } from "./request";
import { type Credentials, credentialsFor, credentialsOf } from "./security";
import type { OpenApiSettings } from "./settings";

/** A read within this time costs one event of the history; a write may take longer. */
const READ_TIMEOUT_MS = 10_000;
const WRITE_TIMEOUT_MS = 60_000;

/** The shared data of one service's operations. */
interface Service {
  document: OpenApiDocument;
  baseUrl: string;
  headers: { [name: string]: string };
  credentials: Credentials;
}

/** The operations of one HTTP service as tools, read from its OpenAPI document. `open` reads it and gives them. */
export class OpenApiSource implements ToolSource {
  readonly name: string;
  readonly isDeclared = true;
  private readonly at: string;
  private readonly secrets: Secrets;

  constructor(
    private readonly service: string,
    private readonly settings: OpenApiSettings,
    private readonly place: SourcePlace,
  ) {
    this.name = `http ${service}`;
    this.at = `http.${service}`;
    this.secrets = new Secrets(place.env);
  }

  /** A document does not change while it is used. */
  onChange(): void {}

  async close(): Promise<void> {}

  async open(): Promise<OpenedSource> {
    const { settings, at, secrets } = this;
    const document = await readDocument(secrets.expand(settings.openapi, `${at}.openapi`), this.place.folder);
    const service: Service = {
      document,
      baseUrl: this.baseUrl(document),
      headers: secrets.expandAll(settings.headers ?? {}, `${at}.headers`),
      credentials: credentialsOf(settings.auth, document, secrets, at),
    };
    const operations = findOperations(document);
    checkEffects(
      settings.effects,
      operations.map(({ id }) => id),
      at,
    );
    return makeTools(operations, {
      place: at,
      list: settings.operations,
      listName: "operations",
      nameOf: ({ id }) => id,
      make: (operation) => this.tool(operation, service),
    });
  }

  private baseUrl(document: OpenApiDocument): string {
    const place = `${this.at}.baseUrl`;
    const given = this.settings.baseUrl === undefined ? undefined : this.secrets.expand(this.settings.baseUrl, place);
    const url = given ?? serverOf(document);
    if (url === undefined)
      throw badSetting(place, "it is needed: the document does not name the address of its service");
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw badSetting(place, "must be an http or https URL");
    return url.replace(/\/+$/, "");
  }

  private tool(found: FoundOperation, { document, credentials, ...service }: Service): Tool {
    const { settings, secrets } = this;
    const operation = readOperation(found, document);
    const { reader } = document;
    const { input, sort } = argumentsOf(operation, reader);
    const schemas = { input, output: operation.output, inputReader: reader, outputReader: reader };
    const shape = new CallShape(schemas);
    const set = settings.effects[found.id] ?? {};
    const effect = set.effect ?? effectOf(operation.method);
    const timeout_ms = settings.timeout ?? (effect === "read" ? READ_TIMEOUT_MS : WRITE_TIMEOUT_MS);
    const description = descriptionOf(operation.description, input, reader);
    const what = `${operation.method} ${operation.path}`;
    return {
      spec: {
        name: sourceToolName({ name: this.service, prefix: settings.prefix }, found.id),
        effect,
        signature: shape.signature,
        ...defined({ description, takes: effect === "read" ? undefined : jsonSchemaInput(input, reader) }),
        timeout_ms,
        ...sourceEffects(set, { effect, signature: shape.signature }, `${this.at}.effects.${found.id}`),
      },
      schemas,
      run: async (args, { idempotencyKey, signal }) => {
        try {
          const sent = sort(shape.read(args));
          const request = requestOf(operation, sent, {
            ...service,
            credentials: credentialsFor(operation.security, credentials),
          });
          if (effect !== "read") request.headers.set("idempotency-key", idempotencyKey);
          // Before the call's own limit, so that a slow service can be distinguished from a lost worker.
          const limit = timeout_ms - Math.min(500, timeout_ms / 10);
          const answer = await sendRequest(request, { what, effect, signal, timeout_ms: limit });
          return secrets.hideIn(toolResultJson(answer));
        } catch (error) {
          throw secrets.hideFrom(error);
        }
      },
    };
  }
}

const effectOf = (method: string): ToolSpec["effect"] => (method === "GET" || method === "HEAD" ? "read" : "write");
