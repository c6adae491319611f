import { MainAreaWidget } from '@jupyterlab/apputils';

import { recordingIcon } from '../icons';
import { RecordingContent } from './recordingcontent';
import type { IRecordingPlace } from './recordingsapi';
import { trans } from '../translation';

/** A recording as a tab. */
export class RecordingTab extends MainAreaWidget<RecordingContent> {
  constructor(options: RecordingTab.IOptions) {
    const { place } = options;
    const label = (title: string): string => trans.__('Recording: %1', title);
    super({
      content: new RecordingContent({
        ...options,
        place: () => place,
        onTitle: title => {
          this.title.label = label(title);
        }
      })
    });
    this.place = place;
    this.id = tabId(place);
    this.toolbar.hide();
    this.title.icon = recordingIcon;
    this.title.closable = true;
    this.title.label = label(place.path.split('/').pop() ?? '');
    this.title.caption = place.path;
  }

  readonly place: IRecordingPlace;
}

export namespace RecordingTab {
  export interface IOptions extends Omit<RecordingContent.IOptions, 'place' | 'onTitle'> {
    place: IRecordingPlace;
  }
}

/** The id of the tab of a recording. */
export function tabId({ source, path }: IRecordingPlace): string {
  return `gpucluster-recording-${source}-${path}`;
}
