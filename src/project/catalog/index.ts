/** Ready workflows that come with the package, and folders of workflow definitions in a project. */
export { CATALOG_FOLDER, type CatalogEntry, catalogWorkflows, listCatalog } from "./catalog";
export { type Copied, type CopiedFile, type CopyAction, type CopyOptions, copyWorkflows } from "./copy";
export {
  definitionIn,
  idOfFile,
  type PlacedFinding,
  type ReadDefinition,
  type ReadOptions,
  readDefinition,
} from "./definition-file";
export {
  type FolderContent,
  type FolderDefinition,
  type FolderError,
  readDefinitionFolder,
  subflowsFirst,
} from "./folder";
