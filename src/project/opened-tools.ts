import type { Project } from "./load";

/** Each project opens its sources once. */
const opening = new WeakMap<Project, Promise<void>>();

/**
 * Opens the sources of a project's tools, unless somebody has. A source that cannot be opened now is tried again by the next
 * caller; until then its tools are only names.
 *
 * @throws NavigatorError why a source cannot be opened
 */
export async function openedTools(project: Project): Promise<void> {
  const { sources = [], tools } = project;
  const missing = sources.filter(({ name }) => !tools.names().some((tool) => tools.from(tool) === name));
  if (missing.length === 0) return;
  const under = opening.get(project) ?? project.openTools().then(() => {});
  opening.set(project, under);
  try {
    await under;
  } catch (error) {
    opening.delete(project);
    throw error;
  }
}
