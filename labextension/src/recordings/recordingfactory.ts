import {
  ABCWidgetFactory,
  DocumentWidget,
  type DocumentRegistry,
  type IDocumentWidget
} from '@jupyterlab/docregistry';

import { recordingIcon } from '../icons';
import { RecordingContent } from './recordingcontent';
import { trans } from '../translation';

/** Names the file type and what opens it, even in "Open With". */
export const RECORDING_FILES = 'gpucluster-recording';

/** How the names of recordings end. */
const ENDINGS = ['.gpucluster.jsonl.gz', '.gpucluster.jsonl'];

export type RecordingDocument = IDocumentWidget<RecordingContent>;

/** Opens recordings from the file browser. */
export class RecordingFactory extends ABCWidgetFactory<RecordingDocument> {
  constructor(
    private readonly _options: Omit<RecordingContent.IOptions, 'place' | 'onTitle'>,
    private readonly _localPath: (path: string) => string
  ) {
    super({
      name: RECORDING_FILES,
      label: trans.__('Recording of a GPU cluster'),
      fileTypes: [RECORDING_FILES],
      defaultFor: [RECORDING_FILES],
      // Our server reads it; what the browser holds of it is not looked at.
      modelName: 'base64',
      readOnly: true
    });
  }

  protected override createNewWidget(context: DocumentRegistry.Context): RecordingDocument {
    const content = new RecordingContent({
      ...this._options,
      place: () => ({ source: 'folder', path: this._localPath(context.path) })
    });
    return new DocumentWidget({ content, context });
  }
}

/** Let JupyterLab know recordings by their names. */
export function addRecordingFiles(registry: DocumentRegistry, factory: RecordingFactory): void {
  registry.addFileType({
    name: RECORDING_FILES,
    displayName: factory.label,
    extensions: ENDINGS,
    mimeTypes: ['application/x-gpucluster-recording'],
    contentType: 'file',
    fileFormat: 'base64',
    icon: recordingIcon
  });
  registry.addWidgetFactory(factory);
}
