/** Names of the commands, as they appear in keyboard shortcuts and menus. */

export const openPanel = 'gpucluster:open-panel';
export const createCluster = 'gpucluster:create-cluster';
export const connect = 'gpucluster:connect';
export const scaleCluster = 'gpucluster:scale-cluster';
export const stopCluster = 'gpucluster:stop-cluster';
export const openDashboard = 'gpucluster:open-dashboard';
export const layOutDashboard = 'gpucluster:lay-out-dashboard';
export const openLog = 'gpucluster:open-log';
export const openCharts = 'gpucluster:open-charts';
export const openActivity = 'gpucluster:open-activity';
export const shareCluster = 'gpucluster:share-cluster';
export const profileCell = 'gpucluster:profile-cell';
export const openRecording = 'gpucluster:open-recording';
export const recordCluster = 'gpucluster:record-cluster';
export const openLessons = 'gpucluster:open-lessons';
export const openLesson = 'gpucluster:open-lesson';
export const openRecall = 'gpucluster:open-recall';
export const resetLesson = 'gpucluster:reset-lesson';
export const deleteProgress = 'gpucluster:delete-progress';
export const openClass = 'gpucluster:open-class';
