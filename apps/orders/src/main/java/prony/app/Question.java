package prony.app;

/** What is asked of another program to answer a request. */
interface Question {
    /** Returns what was found, as the body of the answer. */
    String ask() throws Exception;
}
