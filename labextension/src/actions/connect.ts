import { Notification } from '@jupyterlab/apputils';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';

import type { ClusterModel } from '../protocol/messages';
import { requirePackage, type NotebooksInSight } from './links';
import { trans } from '../translation';
import { kernelNameOf, type IEnvironment } from './environment';
import { chooseNotebook } from './choosing';

/** What connects a notebook to a cluster. */
export function connectCode(name: string): string {
  return `%load_ext gpucluster\n%gpucluster connect ${name}`;
}

interface IConnectOptions {
  inSight: NotebooksInSight;
  commands: CommandRegistry;
  environment: IEnvironment;
  /** Id of the notebook that is meant, if it is not the one in sight. */
  notebook?: string;
  /** Bring a notebook to the front. */
  activate: (id: string) => void;
}

/**
 * Put the connect cell into the notebook that is seen, and run it. Where none is seen but some are open, ask; where
 * none is open, make one.
 */
export async function connectNotebook(
  cluster: ClusterModel,
  options: IConnectOptions
): Promise<void> {
  const { environment, inSight, activate } = options;
  let panel = inSight.open().find(({ id }) => id === options.notebook) ?? inSight.last();
  if (panel === null) {
    const open = inSight.open();
    const chosen = open.length === 0 ? 'new' : await chooseNotebook(cluster, open);
    if (chosen === null) {
      return;
    }
    panel = chosen === 'new' ? await newNotebook(cluster, options) : chosen;
    activate(panel.id);
  } else if (!panel.isVisible) {
    // A tab about a cluster is in front of it.
    activate(panel.id);
  }
  requirePython(panel, environment);
  await panel.revealed;
  await panel.sessionContext.ready;
  await requirePackage(panel);
  if (!(await runIn(panel, connectCode(cluster.name)))) {
    throw new Error(
      trans.__('%1 was not connected. See the error in its cell.', panel.title.label)
    );
  }
  Notification.success(trans.__('Connected %1 to %2.', panel.title.label, cluster.name), {
    autoClose: 5000
  });
}

async function newNotebook(
  cluster: ClusterModel,
  { commands, environment }: IConnectOptions
): Promise<NotebookPanel> {
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
    // Notebook 7 opens it in a separate browser tab, where this page cannot reach.
    throw new Error(trans.__('Connect from the panel in the new notebook.'));
  }
  await created.context.ready;
  return created;
}

function requirePython(panel: NotebookPanel, environment: IEnvironment): void {
  const name = kernelNameOf(panel);
  if (name !== null && !environment.kernels().some(kernel => kernel.name === name)) {
    throw new Error(
      trans.__('%1 is not a Python notebook. Open a Python notebook.', panel.title.label)
    );
  }
}

async function runIn(panel: NotebookPanel, code: string): Promise<boolean> {
  const notebook = panel.content;
  const isConnect = ({ model }: (typeof notebook.widgets)[number]): boolean =>
    model.type === 'code' && model.sharedModel.getSource().trim() === code;
  const known = notebook.widgets.find(isConnect);
  if (known !== undefined) {
    // After a restart: the notebook's own cell connects again, and the reader stays where they are.
    return NotebookActions.runCells(notebook, [known], panel.sessionContext);
  }
  const { activeCell } = notebook;
  // An empty cell is filled.
  if (activeCell?.model.type !== 'code' || activeCell.model.sharedModel.getSource().trim() !== '') {
    NotebookActions.insertBelow(notebook);
  }
  notebook.activeCell?.model.sharedModel.setSource(code);
  return NotebookActions.runAndAdvance(notebook, panel.sessionContext);
}

/** Whether a command has opened a notebook in this page. */
export function isNotebook(value: unknown): value is NotebookPanel {
  return (
    typeof value === 'object' && value !== null && 'sessionContext' in value && 'content' in value
  );
}
