import path from "node:path";
import * as z from "zod";
import { NavigatorError } from "../../../core/base/navigator-error";
import { workflowsFolder } from "../../../server/backend/project-workflows";
import type { ServerContext } from "../../context/server-context";

/** The shared code of the tools that read and write workflow files (graph reference, section 9.7). */

export const Listed = z.looseObject({ id: z.string(), name: z.string(), description: z.string() });
export const FileErrors = z.array(z.looseObject({ id: z.string(), code: z.string(), message: z.string() }));
export const workflowIds = z.array(z.string().min(1)).describe("Ids of workflows");

/** @throws NavigatorError `forbidden` */
export function folderOf({ project, files }: ServerContext, given?: string): string {
  if (given === undefined) return workflowsFolder(project);
  if (files) return path.resolve(project.folder, given);
  throw new NavigatorError("forbidden", "Callers over HTTP cannot name files of the server's machine.", {
    hint: "Leave `path` out: the project's own folder is read.",
  });
}
