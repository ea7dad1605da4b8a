// The python.exe of a virtual environment: it starts the interpreter that pyvenv.cfg names
// as "home". Python's installer for Windows has such a program; the Python from which
// scripts/windows-python makes one for the tests has not.
#include <stdio.h>
#include <string.h>
#include <windows.h>

static int fail(const char *what) {
	fprintf(stderr, "venvlauncher: %s (error %lu)\n", what, GetLastError());
	return 101;
}

// home writes the path of the interpreter's directory, which is named in a file.
static int home(const wchar_t *file, wchar_t *to, int size) {
	char line[4096];
	FILE *f = _wfopen(file, L"r");
	if (!f)
		return 0;
	int found = 0;
	while (!found && fgets(line, sizeof line, f)) {
		char *value = strchr(line, '=');
		if (strncmp(line, "home", 4) || !value)
			continue;
		value += 1 + strspn(value + 1, " ");
		value[strcspn(value, "\r\n")] = 0;
		found = MultiByteToWideChar(CP_UTF8, 0, value, -1, to, size) > 0;
	}
	fclose(f);
	return found;
}

int main(void) {
	static wchar_t self[32768], config[32768], python[32768];
	if (!GetModuleFileNameW(NULL, self, 32768))
		return fail("cannot find its own path");
	wcscpy(config, self);
	for (int up = 0; up < 2; up++) { // ENV\Scripts\python.exe
		wchar_t *cut = wcsrchr(config, L'\\');
		if (!cut)
			return fail("is not in a virtual environment");
		*cut = 0;
	}
	wcscat(config, L"\\pyvenv.cfg");
	if (!home(config, python, 32000))
		return fail("cannot read home from pyvenv.cfg");
	wcscat(python, L"\\python.exe");
	SetEnvironmentVariableW(L"__PYVENV_LAUNCHER__", self);

	// The interpreter ends with this process, but what it starts does not.
	HANDLE job = CreateJobObjectW(NULL, NULL);
	JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
	limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
	if (!job || !SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits))
		return fail("cannot make a job");
	STARTUPINFOW start;
	PROCESS_INFORMATION child;
	GetStartupInfoW(&start);
	if (!CreateProcessW(python, GetCommandLineW(), NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &start, &child))
		return fail("cannot start Python");
	AssignProcessToJobObject(job, child.hProcess);
	ResumeThread(child.hThread);
	WaitForSingleObject(child.hProcess, INFINITE);
	DWORD code = 101;
	GetExitCodeProcess(child.hProcess, &code);
	return (int)code;
}
