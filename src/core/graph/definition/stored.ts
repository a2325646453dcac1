import type { Definition } from "./schema";

/** Definitions as they are kept: every version that was loaded (engine reference, section 2). */

export type DefinitionSource = "catalog" | "project" | "external";

export interface StoredVersion {
  /** From 1. */
  version: number;
  definition: Definition;
  source: DefinitionSource;
  /** Ms since 1970. */
  loadedAt: number;
}
