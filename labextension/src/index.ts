import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'gpucluster:plugin',
  description: 'A panel for Dask clusters on GPUs.',
  autoStart: true,
  activate: () => {
    // Filled in below.
  }
};

export default plugin;
