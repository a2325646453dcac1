import type { Definition } from "./schema";

/** Definitions as they are kept: every version that was loaded (engine reference, section 2). */

/** Where a definition was loaded from. */
export type DefinitionSource = "catalog" | "project" | "external";

/** One version of a definition as its workflow keeps it. */
export interface StoredVersion {
  /** From 1. */
  version: number;
  definition: Definition;
  source: DefinitionSource;
  /** Ms since 1970. */
  loadedAt: number;
}
