; The installer for Windows. It installs for the current user, without administrator rights.
;
;   easel-setup.exe /S             install without questions
;   uninstall.exe /S               remove the program and what Easel can create again
;   uninstall.exe /S /DATA         remove plots and settings, too
;
; scripts/dist defines VERSION, FILEVERSION, STAGE and OUT.
Unicode true
Target amd64-unicode
!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh

!define APPID "io.github.easel.Easel"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\${APPID}"

Name "Easel"
BrandingText "Easel ${VERSION}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Easel"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
RequestExecutionLevel user
!ifdef FAST ; for tests
	SetCompressor zlib
!else
	SetCompressor /SOLID lzma
!endif
ManifestDPIAware true

VIProductVersion "${FILEVERSION}"
VIAddVersionKey ProductName "Easel"
BrandingText "Easel ${VERSION}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey FileDescription "Easel setup"
VIAddVersionKey LegalCopyright "The Easel authors, MIT license"

!define MUI_ICON "${STAGE}\easel.ico"
!define MUI_UNICON "${STAGE}\easel.ico"
!define MUI_FINISHPAGE_RUN "$INSTDIR\easel.exe"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "Japanese"

LangString Running ${LANG_ENGLISH} "Easel is running. Quit it (tray menu: Quit Easel) and try again."
LangString Running ${LANG_JAPANESE} "Easel が実行中です。終了して(トレイメニュー)、もう一度お試しください。"
LangString AskData ${LANG_ENGLISH} "Also delete your plots, ratings, notes and settings? This cannot be undone."
LangString AskData ${LANG_JAPANESE} "プロット、評価、メモ、設定も削除しますか?この操作は取り消せません。"

Function .onInit
	System::Call 'kernel32::GetUserDefaultUILanguage() i .r0'
	StrCpy $LANGUAGE $0
FunctionEnd

Section
	SetOutPath "$INSTDIR"
	; A running program can be renamed but not replaced. It continues until it is quit.
	Delete "$INSTDIR\easel-old.exe"
	Rename "$INSTDIR\easel.exe" "$INSTDIR\easel-old.exe"
	Delete "$INSTDIR\easel-old.exe"
	File "${STAGE}\easel.exe"
	File "${STAGE}\easel.ico"
	File "${STAGE}\LICENSE.txt"
	File "${STAGE}\licences.txt"
	WriteUninstaller "$INSTDIR\uninstall.exe"
	CreateShortcut "$SMPROGRAMS\Easel.lnk" "$INSTDIR\easel.exe" "" "$INSTDIR\easel.ico"

	WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Easel"
	WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
	WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\easel.ico"
	WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The Easel authors"
	WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
	WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
	WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
	WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
	WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
	${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
	WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
SectionEnd

Function un.onInit
	System::Call 'kernel32::GetUserDefaultUILanguage() i .r0'
	StrCpy $LANGUAGE $0
FunctionEnd

Section "Uninstall"
	StrCpy $0 "--yes"
	${GetParameters} $1
	ClearErrors
	${GetOptions} $1 "/DATA" $2
	${IfNot} ${Errors}
		StrCpy $0 "--yes --all"
	${ElseIf} ${Cmd} `MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "$(AskData)" /SD IDNO IDYES`
		StrCpy $0 "--yes --all"
	${EndIf}
	; It fails if Easel is running.
	nsExec::Exec '"$INSTDIR\easel.exe" uninstall $0'
	Pop $1
	${If} $1 != 0
		MessageBox MB_OK|MB_ICONEXCLAMATION "$(Running)" /SD IDOK
		SetErrorLevel 2
		Quit
	${EndIf}
	Delete "$INSTDIR\easel.exe"
	Delete "$INSTDIR\easel-old.exe"
	Delete "$INSTDIR\easel.ico"
	Delete "$INSTDIR\LICENSE.txt"
	Delete "$INSTDIR\licences.txt"
	Delete "$INSTDIR\uninstall.exe"
	RMDir "$INSTDIR"
	Delete "$SMPROGRAMS\Easel.lnk"
	DeleteRegKey HKCU "${UNINSTALL}"
SectionEnd
