import { createHash } from "node:crypto";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import * as z from "zod";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import type { StepInstructions } from "../../core/graph/show/instructions";
import type { Task } from "../../core/graph/task/task";
import { parseJson } from "../../node/data-file";

/**
 * A task in a coding agent's JSON file (graph reference, section 9.2). The task itself is durable, and the file shows
 * where it is: subject with the step, status, metadata. Everything else in the file stays unchanged.
 */
export interface TaskFile {
  /** Id of this file's task; undefined before it has one. */
  taskId?: string;
  /** The id of a new task: the file's name, or another one if that name is taken. */
  name: string;
  otherName: string;
  /** The user's request in the file. */
  description?: string;
  write(task: Task, at: StepInstructions): void;
}

const Content = z.looseObject({
  subject: z.string().optional(),
  description: z.string().optional(),
  status: z.string().optional(),
  metadata: z.looseObject({ navigatorTask: z.string().optional(), subject: z.string().optional() }).optional(),
});

/** @throws NavigatorError that names the file and its mistake */
export function openTaskFile(given: string, folder: string): TaskFile {
  const file = path.resolve(folder, given.replace(/^~(?=[/\\]|$)/, homedir()));
  if (path.extname(file) !== ".json")
    throw new NavigatorError("invalid_input", `${file} is not a JSON file.`, {
      hint: "A task file is a JSON file with a subject or a description.",
      details: { path: file },
    });
  const content = read(file);
  const name = path.basename(file, ".json");
  const description = content.description ?? content.subject;
  const taskId = content.metadata?.navigatorTask;
  return {
    ...defined({ taskId }),
    name,
    otherName: `${name}-${createHash("sha256").update(file).digest("hex").slice(0, 8)}`,
    ...defined({ description }),
    write: (task, at) => save(file, after(read(file), task, at)),
  };
}

function read(file: string): z.infer<typeof Content> {
  const parsed = Content.safeParse(parseJson(textOf(file), file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new NavigatorError("invalid_input", `${file}: ${issue?.path.join(".")}: ${issue?.message}`, {
    hint: "A task file is a JSON file with a subject or a description.",
    details: { path: file },
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw new NavigatorError("not_found", `There is no file ${file}.`, { details: { path: file, kind: "file" } });
    throw new NavigatorError("file_error", `${file} cannot be read (${code}).`, { details: { path: file } });
  }
}

function after(content: z.infer<typeof Content>, task: Task, { metadata, terminal }: StepInstructions) {
  const subject = content.metadata?.subject ?? content.subject ?? task.id;
  // A task that waits for a person, or failed, is not done: a reader of the file must not think so.
  const status = terminal === "success" ? "completed" : terminal === null ? "in_progress" : content.status;
  return {
    ...content,
    subject: `${subject} · ${metadata.stepName}`,
    ...defined({ status }),
    metadata: { ...content.metadata, ...metadata, navigatorTask: task.id, subject, stepRetries: task.stepRetries },
  };
}

/** Writes all or nothing: others may read the file at the same time. */
function save(file: string, content: object): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    // The coding agent's own file: it keeps its rights.
    writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: statSync(file).mode & 0o777 });
    renameSync(temporary, file);
  } catch (error) {
    throw new NavigatorError("file_error", `${file} cannot be written: ${(error as Error).message}`, {
      details: { path: file },
    });
  }
}
