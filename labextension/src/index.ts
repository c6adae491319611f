import {
  ILabShell,
  ILayoutRestorer,
  type JupyterFrontEnd,
  type JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ICommandPalette,
  IMovableSectionRegistry,
  IToolbarWidgetRegistry
} from '@jupyterlab/apputils';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { IRunningSessionManagers } from '@jupyterlab/running';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

// In this order the bundle is smallest: what is alike stands near, and is compressed together.
import { addRecordings } from './actions/recordings';
import { addCommands } from './actions/commands';
import * as CommandIDs from './actions/commandids';
import { ClusterChip } from './actions/clusterchip';
import { PageLists } from './dashboards/pagelists';
import { ClusterManager } from './clusters/manager';
import { Unfolded } from './panel/unfolded';
import { NotebookEnvironment } from './actions/environment';
import { addLessons } from './actions/lessons';
import { noticesPlugin } from './notices';
import { addProfiling } from './actions/profiling';
import { LessonStore } from './lessons/lessonstore';
import { LessonsPanel } from './lessons/lessonspanel';
import { followSettings, initialSettings, PLUGIN_ID } from './settings';
import { ILessonStore } from './lessons/tokens';
import { outputsPlugin } from './outputs';
import { statusPlugin } from './host/statusitem';
import { cellsPlugin } from './cells/plugin';
import { enableClusterDrag } from './actions/dragcluster';
import { setTranslation, trans } from './translation';
import { NotebookLinks, NotebooksInSight } from './actions/links';
import { studyPlugin } from './study';
import { IClusterManager } from './clusters/tokens';
import { addRunningClusters } from './running';
import { ClusterViews, isAboutCluster } from './actions/views';
import { ClusterPanel } from './panel/clusterpanel';

/** The store; other extensions may ask for it. */
const managerPlugin: JupyterFrontEndPlugin<IClusterManager> = {
  id: 'gpucluster:manager',
  description: 'Provides the clusters of this user.',
  autoStart: true,
  optional: [ITranslator],
  provides: IClusterManager,
  activate: (app: JupyterFrontEnd, translator: ITranslator | null): IClusterManager => {
    setTranslation((translator ?? nullTranslator).load('gpucluster'));
    return new ClusterManager({ serverSettings: app.serviceManager.serverSettings });
  }
};

/** What the server knows of lessons; other extensions may ask for it. */
const lessonsPlugin: JupyterFrontEndPlugin<ILessonStore> = {
  id: 'gpucluster:lessons',
  description: 'Provides lessons and progress.',
  autoStart: true,
  provides: ILessonStore,
  activate: (app: JupyterFrontEnd): ILessonStore =>
    new LessonStore(app.serviceManager.serverSettings)
};

/** The panel, its commands and everything that is opened from it. */
const panelPlugin: JupyterFrontEndPlugin<void> = {
  id: PLUGIN_ID,
  description: 'The panel for Dask clusters.',
  autoStart: true,
  requires: [IClusterManager, ILessonStore],
  optional: [
    ISettingRegistry,
    ICommandPalette,
    ILayoutRestorer,
    ILauncher,
    INotebookTracker,
    ILabShell,
    IStateDB,
    IToolbarWidgetRegistry,
    IMovableSectionRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    manager: IClusterManager,
    lessons: ILessonStore,
    registry: ISettingRegistry | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null,
    launcher: ILauncher | null,
    notebooks: INotebookTracker | null,
    labShell: ILabShell | null,
    state: IStateDB | null,
    toolbars: IToolbarWidgetRegistry | null,
    movable: IMovableSectionRegistry | null
  ): void => {
    const { commands } = app;
    const environment = new NotebookEnvironment(app.serviceManager.kernelspecs, notebooks);
    const settings = initialSettings();
    const inSight = new NotebooksInSight(notebooks, () =>
      isAboutCluster(labShell?.currentWidget ?? null)
    );
    const { sessions } = app.serviceManager;
    const links = new NotebookLinks(sessions, inSight, notebooks, labShell);
    const unfolded = new Unfolded(state);
    const panel = new ClusterPanel({
      manager,
      lessons,
      links,
      unfolded,
      commands,
      environment
    });
    const pages = new PageLists(app.serviceManager.serverSettings);
    const views = new ClusterViews({ app, labShell, manager, notebooks, pages, restorer });

    addProfiling({ app, manager, notebooks });
    addRecordings({
      app,
      inSight,
      labShell,
      manager,
      restorer,
      thresholds: () => panel.thresholds
    });
    addCommands({
      app,
      manager,
      panel,
      pages,
      views,
      environment,
      inSight,
      palette,
      settings
    });
    enableClusterDrag(panel.node, manager);
    // Where it stands, and whether, is in the settings: schema/plugin.json.
    toolbars?.addFactory<NotebookPanel>(
      'Notebook',
      'gpucluster-chip',
      notebook => new ClusterChip({ panel: notebook, manager, links, environment, commands })
    );
    app.shell.add(panel, 'left', { rank: 550, type: 'GPU Clusters' });
    restorer?.add(panel, 'gpucluster-panel');
    const placeLessons = (): void => {
      if (lessons.isAvailable === false || learning.isMoved) {
        learning.parent = null;
      } else if (learning.parent === null) {
        app.shell.add(learning, 'left', { rank: 551, type: 'Lessons' });
      }
    };
    const learning = new LessonsPanel({
      store: lessons,
      commands,
      onMoved: placeLessons,
      isShownElsewhere: () => panel.isVisible
    });
    placeLessons();
    restorer?.add(learning, learning.id);
    lessons.changed.connect(placeLessons);
    if (movable) {
      panel.sections.offer(movable, 'panel', trans.__('GPU clusters'), app.restored);
      learning.sections.offer(movable, 'lessons', trans.__('Lessons'), app.restored);
    }
    launcher?.add({
      command: CommandIDs.createCluster,
      category: trans.__('Other'),
      args: { isLauncher: true },
      rank: 10
    });
    addLessons({
      app,
      store: lessons,
      notebooks,
      launcher,
      palette,
      showLessons: () => learning.reveal(id => app.shell.activateById(id))
    });

    void followSettings(registry, PLUGIN_ID, settings, () => {
      const { warningPercent, criticalPercent } = settings;
      panel.defaultPreset = settings.defaultPreset;
      views.isInverting = settings.dashboardInvert;
      panel.thresholds = { warningPercent, criticalPercent };
      if (manager instanceof ClusterManager) {
        manager.pollInterval = settings.pollSeconds * 1000;
      }
    });
  }
};

// JupyterLab 4.6.0 has no registry of movable sections yet, and so no token for it.
panelPlugin.optional = panelPlugin.optional?.filter(Boolean);

/** Clusters among the other running things. */
const runningPlugin: JupyterFrontEndPlugin<void> = {
  id: 'gpucluster:running',
  description: 'Lists running clusters.',
  autoStart: true,
  requires: [IClusterManager],
  // Notebook 7 has them on its page of files alone.
  optional: [IRunningSessionManagers],
  activate: (
    app: JupyterFrontEnd,
    manager: IClusterManager,
    running: IRunningSessionManagers | null
  ): void => {
    if (running !== null) {
      addRunningClusters(running, manager, app.commands);
    }
  }
};

export default [
  managerPlugin,
  lessonsPlugin,
  panelPlugin,
  runningPlugin,
  statusPlugin,
  noticesPlugin,
  outputsPlugin,
  cellsPlugin,
  studyPlugin
];
