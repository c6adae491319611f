import { NotebookActions, type INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';

import type { ClusterModel } from '../protocol/messages';
import { kernelNameOf, type IEnvironment } from './environment';

/** What connects a notebook to a cluster. */
export function connectCode(name: string): string {
  return `%load_ext gpucluster\n%gpucluster connect ${name}`;
}

/** Put the connect cell into the active notebook, or into a new one, and run it. */
export async function connectNotebook(
  cluster: ClusterModel,
  options: {
    notebooks: INotebookTracker | null;
    commands: CommandRegistry;
    environment: IEnvironment;
    trans: TranslationBundle;
  }
): Promise<void> {
  const { notebooks, commands, environment, trans } = options;
  const active = notebooks?.currentWidget ?? null;
  if (active !== null) {
    requirePython(active, environment, trans);
    await runIn(active, connectCode(cluster.name));
    return;
  }
  const kernels = environment.kernels();
  const kernel = kernels.find(({ name }) => name === cluster.spec.kernel_name) ?? kernels[0];
  if (kernel === undefined || !commands.hasCommand('notebook:create-new')) {
    throw new Error(trans.__('Open a Python notebook first; then connect it to %1.', cluster.name));
  }
  const created: unknown = await commands.execute('notebook:create-new', {
    kernelName: kernel.name,
    activate: true
  });
  if (!isNotebook(created)) {
    // Notebook 7 opens it in a browser tab of its own, where this page cannot reach.
    throw new Error(trans.__('Connect from the panel of the new notebook.'));
  }
  await created.context.ready;
  await runIn(created, connectCode(cluster.name));
}

function requirePython(
  panel: NotebookPanel,
  environment: IEnvironment,
  trans: TranslationBundle
): void {
  const name = kernelNameOf(panel);
  if (name !== null && !environment.kernels().some(kernel => kernel.name === name)) {
    throw new Error(trans.__('The active notebook does not run Python. Open one that does.'));
  }
}

async function runIn(panel: NotebookPanel, code: string): Promise<void> {
  const notebook = panel.content;
  await panel.revealed;
  await panel.sessionContext.ready;
  const source = notebook.activeCell?.model.sharedModel.getSource().trim();
  // An empty cell is filled, and the same line is not written twice.
  if (notebook.activeCell?.model.type !== 'code' || (source !== '' && source !== code)) {
    NotebookActions.insertBelow(notebook);
  }
  notebook.activeCell?.model.sharedModel.setSource(code);
  await NotebookActions.runAndAdvance(notebook, panel.sessionContext);
}

function isNotebook(value: unknown): value is NotebookPanel {
  return (
    typeof value === 'object' && value !== null && 'sessionContext' in value && 'content' in value
  );
}
