import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

import { ClusterOutput } from './clusteroutput';

/** Stands beside the widget in the outputs of our widgets. */
const OUTPUT_MIME = 'application/vnd.gpucluster.output+json';
/** Before the widget manager's own, which is -10. */
const RANK = -20;

/** Lets outputs of our widgets show their picture wherever there is no live view. */
export const outputsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'gpucluster:outputs',
  description: 'Shows saved clusters.',
  autoStart: true,
  activate: app => {
    app.docRegistry.addWidgetExtension('Notebook', {
      createNew: panel => followOutputs(panel as NotebookPanel)
    });
  }
};

function followOutputs(panel: NotebookPanel): IDisposable {
  const { rendermime } = panel.content;
  const outputs = new Set<ClusterOutput>();
  const retry = (): void => {
    for (const output of outputs) {
      output.retry();
    }
  };
  rendermime.addFactory(
    {
      safe: false,
      mimeTypes: [OUTPUT_MIME],
      createRenderer: () => {
        const output = new ClusterOutput(rendermime);
        outputs.add(output);
        output.disposed.connect(() => outputs.delete(output));
        return output;
      }
    },
    RANK
  );
  // The widget manager of a notebook comes with its kernel.
  panel.sessionContext.statusChanged.connect(retry);
  return new DisposableDelegate(() => {
    panel.sessionContext.statusChanged.disconnect(retry);
    rendermime.removeMimeType(OUTPUT_MIME);
  });
}
