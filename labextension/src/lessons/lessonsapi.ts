import type { ServerConnection } from '@jupyterlab/services';

import { request } from '../clusters/restapi';
import type {
  ClassView,
  EventsNoted,
  LessonCopied,
  LessonEvents,
  LessonList,
  ProgressDeleted
} from '../protocol/messages';

type Settings = ServerConnection.ISettings;

export async function readLessons(settings: Settings): Promise<LessonList> {
  return (await request<LessonList>(settings, ['lessons'], {}, 'lessons')).body;
}

export async function copyLessons(settings: Settings): Promise<LessonCopied> {
  const init = { method: 'POST' };
  return (await request<LessonCopied>(settings, ['lessons', 'copy'], init, 'written')).body;
}

export async function resetLesson(settings: Settings, lesson: string): Promise<LessonCopied> {
  const parts = ['lessons', lesson, 'reset'];
  return (await request<LessonCopied>(settings, parts, { method: 'POST' }, 'written')).body;
}

export async function copyRecall(settings: Settings, lesson: string): Promise<LessonCopied> {
  const parts = ['lessons', lesson, 'recall'];
  return (await request<LessonCopied>(settings, parts, { method: 'POST' }, 'written')).body;
}

export async function reportEvents(
  settings: Settings,
  events: LessonEvents['events']
): Promise<EventsNoted> {
  const init = { method: 'POST', body: JSON.stringify({ events }) };
  return (await request<EventsNoted>(settings, ['lessons', 'events'], init, 'noted')).body;
}

export async function deleteProgress(settings: Settings): Promise<ProgressDeleted> {
  const init = { method: 'DELETE' };
  return (await request<ProgressDeleted>(settings, ['lessons', 'progress'], init, 'deleted')).body;
}

export async function readClass(settings: Settings): Promise<ClassView> {
  return (await request<ClassView>(settings, ['lessons', 'class'], {}, 'learners')).body;
}
