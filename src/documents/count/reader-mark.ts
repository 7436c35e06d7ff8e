/** Set for a process of an executable that reads documents: it runs the readers rather than the program. */
export const readerMark = 'BOTCTL_READS_DOCUMENTS';
