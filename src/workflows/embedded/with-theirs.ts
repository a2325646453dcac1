// The workflows of an application and Navigator's, as one module. `NavigatorPlugin` replaces the application's
// `workflowsPath` with it, and resolves `their-workflows` to that path. Their names are known only at run time, and
// their default export is the SDK's dynamic workflow, which `export *` would lose.
{
  type Workflows = { [name: string]: unknown };
  const own = require("..") as Workflows;
  const theirs = require("their-workflows") as Workflows;

  // A name that stands for one workflow in both is no clash: they export ours, too.
  const clashing = Object.keys(own).filter((name) => name in theirs && theirs[name] !== own[name]);
  if (clashing.length > 0)
    throw Object.assign(new Error(`Workflows of the application have names of Navigator's: ${clashing.join(", ")}`), {
      clashing,
    });

  module.exports = { ...theirs, ...own };
}
