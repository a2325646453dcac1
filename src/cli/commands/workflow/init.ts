import path from "node:path";
import { shellWord } from "../../../node/shell-word";
import { type Copied, type CopiedFile, copyWorkflows, listCatalog } from "../../../project/catalog";
import { findConfig, readConfig } from "../../../project/config-file";
import type { CommandSpec } from "../../terminal/command";
import { badUsage, EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { renderTable } from "../../terminal/render";

/** `navigator workflow catalog` and `init`: list the catalog's workflows and copy them into a project. */
export const workflowInitCommands: readonly CommandSpec[] = [
  {
    name: "catalog",
    about: "list the ready workflows that come with the package",
    examples: ["navigator workflow catalog"],
    run: async (io: CommandIo) => {
      const workflows = listCatalog();
      io.result({ workflows }, () =>
        [
          renderTable(
            workflows.map(({ id, stepCount, description }) => [io.color.bold(id), String(stepCount), description]),
          ),
          "",
          "Copy one:  navigator workflow init ID",
        ].join("\n"),
      );
    },
  },
  {
    name: "init [ids...]",
    about: "copy ready workflows and the agents that they name into a project",
    options: [
      ["--all", "all of them"],
      ["--to <folder>", "folder for the workflows (default: the project's definitions, else workflows)"],
      ["--agents <folder>", "folder for their agents (default: the project's agents, else agents in that folder)"],
      ["--force", "replace changed files"],
    ],
    examples: ["navigator workflow init bug-fix release"],
    run: init,
  },
];

interface InitOptions {
  all?: boolean;
  to?: string;
  agents?: string;
  force?: boolean;
}

async function init(io: CommandIo, ids: readonly string[], options: InitOptions): Promise<void> {
  const known = listCatalog().map(({ id }) => id);
  if (ids.length === 0 && !options.all)
    throw badUsage("WORKFLOW", "Name the workflows to copy, or add --all.", `There are: ${known.join(", ")}`);
  const project = await projectFolders();
  const folder = path.resolve(options.to ?? project.definitions ?? "workflows");
  // A project would not read agents in another folder.
  const agentsFolder = path.resolve(
    options.agents ?? (options.to === undefined ? project.agents : null) ?? path.join(folder, "agents"),
  );
  const done = copyWorkflows(options.all ? [...known, ...ids] : ids, folder, {
    agentsFolder,
    force: options.force === true,
  });
  const next = nextSteps(done, project, { folder, agentsFolder });
  io.result({ folder, agentsFolder, ...done, next }, () => text(io, done, next));
  if (!io.json) for (const { message } of done.errors) io.err(`${io.color.red("error")} ${message}`);
  if (done.errors.length > 0) process.exitCode = EXIT.usage;
}

function text(io: CommandIo, { copied, agents }: Copied, next: readonly string[]): string {
  const row = ({ file, action }: CopiedFile, about: string) => [action, shown(file), io.color.dim(about)];
  const files = [
    ...copied.flatMap(({ name, neededBy, files: own }) =>
      own.map((file, i) => row(file, i > 0 ? "" : neededBy === undefined ? name : `${name}, for ${neededBy}`)),
    ),
    ...agents.map((file) => row(file, "agent")),
  ];
  const kept = files.some(([action]) => action === "kept");
  return [
    ...(files.length === 0 ? [] : [renderTable(files)]),
    ...(kept ? ["", "Changed files were kept; --force replaces them."] : []),
    ...(next.length === 0 ? [] : ["", "Next:", ...next.map((line) => `  ${line}`)]),
  ].join("\n");
}

/** Commands and settings that are still needed before a task can start on a copied workflow. */
function nextSteps(
  { copied }: Copied,
  project: ProjectFolders,
  { folder, agentsFolder }: { folder: string; agentsFolder: string },
): string[] {
  const file = copied[0]?.files.find(({ file: one }) => /\.(json|ya?ml)$/.test(one))?.file;
  if (file === undefined) return [];
  const settings = {
    ...(project.definitions === folder ? {} : { definitions: shown(folder) }),
    ...(project.agents === agentsFolder ? {} : { agents: shown(agentsFolder) }),
  };
  const missing = Object.keys(settings).length > 0;
  return [
    ...(missing
      ? [`${shown(project.config ?? "navigator.config.json")} must contain ${JSON.stringify(settings)}`]
      : []),
    `navigator workflow check ${shellWord(shown(folder))}`,
    `navigator workflow load ${shellWord(shown(folder))}`,
    `navigator task start ${shellWord(shown(file))} --id my-1 --context '{"request": "..."}'`,
  ];
}

/** The path as a user types it from here. */
const shown = (file: string): string => {
  const relative = path.relative(process.cwd(), file);
  return relative === "" ? "." : relative.startsWith("..") ? file : relative;
};

/** Where a project keeps its workflows and agents. */
interface ProjectFolders {
  /** Absolute path of the configuration; null = there is none. */
  config: string | null;
  /** Absolute; null = the configuration names none. */
  definitions: string | null;
  agents: string | null;
}

/** The folders of the project in this folder; its tools and agents are not loaded. @throws NavigatorError */
async function projectFolders(folder: string = process.cwd()): Promise<ProjectFolders> {
  const config = findConfig(folder);
  const { definitions, agents } = await readConfig(config);
  const absolute = (name: unknown) =>
    config !== null && typeof name === "string" ? path.resolve(path.dirname(config), name) : null;
  return { config, definitions: absolute(definitions), agents: absolute(agents) };
}
