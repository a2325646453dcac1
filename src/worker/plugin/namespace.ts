import { isGrpcServiceError } from "@temporalio/client";
import type { NativeConnection } from "@temporalio/worker";
import {
  ensureSearchAttributes,
  missingSearchAttributes,
  searchAttributesMissing,
} from "../../server/search-attributes";

const OR_CREATE =
  'Or let this worker create them, if it has the permission: new NavigatorPlugin({ searchAttributes: "create" }).';

/** gRPC's numbers for a server that does not let this worker look: a managed service, or a role that may only work. */
const NOT_FOR_US = [7, 12];

/**
 * Refuses a namespace that lacks search attributes, and says how to get them.
 *
 * @param create they are created instead
 * @throws NavigatorError `search_attributes`, `namespace_not_found`
 */
export async function checkNamespace(connection: NativeConnection, namespace: string, create: boolean): Promise<void> {
  if (create) return void (await ensureSearchAttributes(connection, namespace));
  try {
    const missing = await missingSearchAttributes(connection, namespace);
    if (missing.length > 0) throw searchAttributesMissing(namespace, missing, OR_CREATE);
  } catch (error) {
    if (!isGrpcServiceError(error) || !NOT_FOR_US.includes(error.code)) throw error;
  }
}
